#compdef prism++ prism-info prism-pack prism-probe prism-tune
# Completes options of PRISM's programs from their own --help, and files.
local -a choices # `options` is a parameter of zsh
if [[ $PREFIX == -* ]]; then
  choices=(${(u)${(f)"$($words[1] --help 2>/dev/null | sed -E 's/-W\[no-\]([a-z-]+)/-W\1 -Wno-\1/' | grep -oE -- '(^|[ ,|[])--?[A-Za-z][A-Za-z-]*=?' | tr -d ' ,|[')"}})
  compadd -a choices
else
  _files
fi
