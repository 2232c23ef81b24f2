import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryDirectory } from '@canopy/test-support'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bin } from './canopyIn.js'

// CI requires every shell.
const has = (shell: string): boolean => process.env['CI'] === 'true' || spawnSync(shell, ['-c', 'exit 0']).status === 0

const home = temporaryDirectory(afterAll)
beforeAll(async () => {
  await writeFile(join(home, 'canopy'), `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`)
  await chmod(join(home, 'canopy'), 0o755)
})

const inShell = (shell: string, ...words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const { stdout, stderr } = spawnSync(shell, words, {
    cwd: home,
    env: { PATH: `${home}:${process.env['PATH']}`, HOME: home },
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  return stdout.split('\n').filter((line) => line !== '')
}

/** The completions of readline at the end of a line. */
const inBash = (line: string): ReadonlyArray<string> =>
  inShell(
    'bash',
    '--norc',
    '-c',
    // Calls the function that `complete` has registered.
    `source <(canopy complete bash); COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
    $(complete -p canopy | awk '{ print $(NF - 1) }'); printf '%s\\n' "\${COMPREPLY[@]}"`,
    'bash',
    ...line.split(' '),
  )

describe('completion', () => {
  it.each([
    ['canopy v', ['visibility']],
    ['canopy rule add 1 .* hidden --d', ['--dry-run']],
    ['canopy --json token r', ['revoke']],
    ['canopy token issue 7 --sc', ['--scope']],
    ['canopy visibility set 7 /x ', []],
    ['canopy token $(id>made) ', ['issue', 'list', 'revoke', 'help']],
  ])('of %j in bash offers %j', (line, offered) => {
    expect(inBash(line)).toEqual(offered)
    expect(existsSync(join(home, 'made'))).toBe(false)
  })

  it.runIf(has('fish'))('is offered in fish', () => {
    const found = inShell('fish', '-c', 'canopy complete fish | source; complete -C "canopy visibility e"')
    expect(found).toEqual(['explain'])
  })
  it.runIf(has('zsh'))('is read by zsh', () => {
    const script = 'autoload -Uz compinit; compinit -u -D; source <(canopy complete zsh); print $_comps[canopy]'
    expect(inShell('zsh', '-f', '-c', script)).toEqual(['_canopy'])
  })
})
