# Completes options of PRISM's programs from their own --help, and files.
for program in prism++ prism-info prism-pack prism-probe prism-tune
  complete -c $program -n 'string match -q -- "-*" (commandline -ct)' \
    -a "($program --help 2>/dev/null | string replace -r -- '-W\[no-\]([a-z-]+)' '-W\$1 -Wno-\$1' | string match -rag -- '(?:^|[ ,|\[])(--?[A-Za-z][A-Za-z-]*=?)' | sort -u)"
end
