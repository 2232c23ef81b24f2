import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { shellWord } from '../src/shellWord.js'

it('a word is read back by a shell as it was', () => {
  const words = ['/photos/2026', '/a b', "/it's", '/$(date)', '/`x`', '/a\\b', '/"', '/*', '/é', '/~;&|<>#!']
  const printed = execFileSync('sh', ['-c', `printf '%s\\n' ${words.map(shellWord).join(' ')}`], { encoding: 'utf8' })
  expect(printed.trimEnd().split('\n')).toEqual(words)
})
