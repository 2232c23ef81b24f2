import { Argument, type Command } from 'commander'

/**
 * Makes `complete` print the completion script of a shell, and adds the hidden command that these scripts call. People keep the
 * scripts in their files, so the hidden command must keep its name.
 */
export const addCompletion = (complete: Command, canopy: Command, print: (text: string) => void): void => {
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

/** A script passes the words up to the cursor to `canopy completions`. Without a completion, the shell offers files. */
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

/** Completes the last word. */
const completionsOf = (canopy: Command, words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const prefix = words.at(-1) ?? ''
  let command = canopy
  for (const word of words.slice(0, -1)) command = command.commands.find((sub) => sub.name() === word) ?? command
  const help = command.createHelp()
  const names = prefix.startsWith('-')
    ? [...help.visibleOptions(command), ...canopy.options].map(({ long }) => long ?? '')
    : help.visibleCommands(command).map((sub) => sub.name())
  return names.filter((name) => name.startsWith(prefix))
}
