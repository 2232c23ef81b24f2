import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { quoted } from '../src/quoted.js'

it.each([
  '/photos/2024',
  '/',
  "/it's here",
  '/a\nb',
  '/evil\u202egpj.exe',
  '/\x1b[201~rm',
  '/$(id) `id` "x" \\',
  '/שלום עולם',
  '/ end ',
])('a quoted path is %j for the shell, without invisible characters', (path) => {
  const text = quoted(path)
  expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  expect(execFileSync('bash', ['-c', `printf %s ${text}`]).toString()).toBe(path)
})
