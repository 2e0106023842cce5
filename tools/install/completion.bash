# Completes options of PRISM's programs from their own --help, and files. bash-completion loads it by the program's name.
_prism_complete() {
  local word=${COMP_WORDS[COMP_CWORD]} options
  COMPREPLY=()
  case $word in
    --targets=* | -fsycl-targets=*)
      COMPREPLY=($(compgen -W 'host opencl vulkan host,opencl,vulkan' -- "${word#*=}")) ;;
    -*)
      options=$("$1" --help 2>/dev/null | sed -E 's/-W\[no-\]([a-z-]+)/-W\1 -Wno-\1/' | grep -oE -- '(^|[ ,|[])--?[A-Za-z][A-Za-z-]*=?' | tr -d ' ,|[' | sort -u)
      COMPREPLY=($(compgen -W "$options" -- "$word"))
      [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace ;;
  esac
}
complete -o default -F _prism_complete prism++ prism-info prism-pack prism-probe prism-tune
