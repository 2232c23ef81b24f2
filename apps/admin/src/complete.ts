import { Argument, type Command } from 'commander'

/** Each asks `canopy completions` with the words up to the cursor; where nothing fits, files are offered. */
const scripts = {
  bash: `_canopy() { mapfile -t COMPREPLY < <(canopy completions -- "\${COMP_WORDS[@]:1:COMP_CWORD}"); }
complete -o default -F _canopy canopy
`,
  zsh: `_canopy() {
  local -a found=(\${(f)"$(canopy completions -- "\${(@)words[2,CURRENT]}")"})
  if (( $#found )); then compadd -- $found; else _files; fi
}
compdef _canopy canopy
`,
  fish: `complete --command canopy --arguments '(canopy completions -- (commandline -opc)[2..] (commandline -ct))'
`,
}

/** What may come in place of the last word. */
const completionsOf = (canopy: Command, words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const begun = words.at(-1) ?? ''
  let command = canopy
  for (const word of words.slice(0, -1)) command = command.commands.find((sub) => sub.name() === word) ?? command
  const help = command.createHelp()
  const names = begun.startsWith('-')
    ? [...help.visibleOptions(command), ...canopy.options].map(({ long }) => long ?? '')
    : help.visibleCommands(command).map((sub) => sub.name())
  return names.filter((name) => name.startsWith(begun))
}

/** Lets `complete` print the script of a shell, and adds the command that the scripts ask: people's files name it. */
export const completes = (complete: Command, canopy: Command, print: (text: string) => void): void => {
  complete
    .addArgument(new Argument('<SHELL>').choices(Object.keys(scripts)))
    .action((shell: keyof typeof scripts) => print(scripts[shell]))
  canopy
    .command('completions', { hidden: true })
    .argument('[WORD...]')
    .action((words: ReadonlyArray<string>) =>
      print(
        completionsOf(canopy, words)
          .map((word) => `${word}\n`)
          .join(''),
      ),
    )
}
