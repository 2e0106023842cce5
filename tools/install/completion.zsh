#compdef prism++ prism-info prism-pack prism-probe prism-tune
# Completes options of PRISM's programs from their own --help, and files.
local -a options
if [[ $PREFIX == -* ]]; then
  options=(${(u)${(f)"$($words[1] --help 2>/dev/null | sed -E 's/-W\[no-\]([a-z-]+)/-W\1 -Wno-\1/' | grep -oE -- '(^|[ ,|[])--?[A-Za-z][A-Za-z-]*=?' | tr -d ' ,|[')"}})
  compadd -a options
else
  _files
fi
