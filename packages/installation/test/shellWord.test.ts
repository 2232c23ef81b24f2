import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { shellWord } from '../src/commandLine.js'

it('a word is read back by a shell as it was', () => {
  const words = ['/photos/2026', '/a b', "/it's", '/$(date)', '/`x`', '/a\\b', '/"', '/*', '/é', '/~;&|<>#!']
  const printed = execFileSync('sh', ['-c', `printf '%s\\n' ${words.map(shellWord).join(' ')}`], { encoding: 'utf8' })
  expect(printed.trimEnd().split('\n')).toEqual(words)
})

it('a word with control characters is read back by bash as it was, and holds none itself', () => {
  const words = [
    '/a\nb',
    '/a\\x0ab',
    '/\u001b[31m',
    "/it's\t\\",
    '/\u0085end',
    '/0\u00010',
    '/\u202egpj.exe',
    '/\u{e0001}x',
  ]
  expect(words.map(shellWord).join('')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  const printed = execFileSync('bash', ['-c', `printf '%s\\0' ${words.map(shellWord).join(' ')}`], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
  })
  expect(printed.split('\0').slice(0, -1)).toEqual(words)
})
