import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { afterAll, describe, expect, it } from 'vitest'
import { type Variables, withConfigFile } from '../src/Installation.js'

const folder = mkdtempSync(join(tmpdir(), 'canopy-config-'))

const reading = (text: string, more: Variables = {}) => {
  writeFileSync(join(folder, 'canopy.env'), text)
  return withConfigFile(folder, { CANOPY_CONFIG: 'canopy.env', ...more })
}

const wrongLines = (...lines: ReadonlyArray<number>) =>
  E.left(lines.map((line) => expect.stringContaining(`CANOPY_CONFIG: line ${line} must be NAME=value`)))

describe('CANOPY_CONFIG', () => {
  afterAll(() => rmSync(folder, { recursive: true }))

  it('names a file of variables, which the environment overrides', () => {
    const text = '# a comment\nCANOPY_PORT=9000\nCANOPY_REGISTRY="postgres://canopy:a#b@db/canopy"\n'
    const found = { CANOPY_PORT: '9000', CANOPY_REGISTRY: 'postgres://canopy:a#b@db/canopy' }
    expect(reading(text)).toMatchObject({ right: found })
    expect(reading(text, { CANOPY_PORT: '9001' })).toMatchObject({ right: { ...found, CANOPY_PORT: '9001' } })
    symlinkSync('canopy.env', join(folder, 'link.env'))
    expect(withConfigFile('/', { CANOPY_CONFIG: join(folder, 'link.env') })).toMatchObject({ right: found })
    expect(withConfigFile(folder, { CANOPY_PORT: '1' })).toEqual(E.right({ CANOPY_PORT: '1' }))
  })

  it('reports the numbers of all invalid lines', () => {
    const text = 'CANOPY_PORT=0\nCANOPY_WORKERS 2\n\n  # a comment\nexport FOO\nsecret\n'
    expect(reading(text)).toEqual(wrongLines(2, 5, 6))
  })

  it.each([
    ['a tab before the name', '\tA=1\n', 1],
    ['a tab after the name', 'A\t=1\n', 1],
    ['a tab before the value', 'A=\t1\n', 1],
    ['a tab before a comment', '\t# comment\nA=1\n', 1],
    ['a line of blanks', 'B=1\n \t \nA=1\n', 2],
    ['a byte order mark within the file', 'B=1\n\ufeffA=1\n', 2],
    ['a tab after export', 'export\tA=1\n', 1],
    ['two spaces after export', 'export  A=1\n', 1],
    ['a quote that is not closed', 'B=1\nA="/abs/data\n', 2],
  ])('refuses what Node misreads: %s', (_, text, line) => {
    expect(reading(text)).toEqual(wrongLines(line))
  })

  it('accepts quotes over several lines, export, empty values, spaces and CRLF', () => {
    const text = 'A="one\ntwo words\n"\nexport B=1\r\n C = 2 # and why\nD=\nE=\'it is "quoted"\'\n# F="as in\nG="x"\n'
    expect(reading(text)).toMatchObject({
      right: { A: 'one\ntwo words\n', B: '1', C: '2', D: '', E: 'it is "quoted"', G: 'x' },
    })
  })

  it.each(['\ufeffA=1\n', '\ufeff# comment\nA=1\n'])('accepts a byte order mark at the start: %j', (text) => {
    expect(reading(text)).toMatchObject({ right: { A: '1' } })
  })

  it.each([
    ['a directory', () => folder],
    ['a device', () => '/dev/null'],
    [
      'a pipe',
      () => {
        const fifo = join(folder, 'fifo')
        execFileSync('mkfifo', [fifo])
        return fifo
      },
    ],
  ])('refuses %s with a hint', (_, place) => {
    const file = place()
    const problem = expect.stringContaining(
      `must be a readable regular file: ${file} is a directory, a pipe or a device`,
    )
    expect(withConfigFile('/', { CANOPY_CONFIG: file })).toEqual(E.left([problem]))
  })

  it.each([
    ['', /^CANOPY_CONFIG is empty: set it to a file, or unset it$/],
    ['elsewhere.env', /^CANOPY_CONFIG .*ENOENT/],
    // The kernel refuses to read its first page, and the error does not name the file.
    ['/proc/self/mem', /^CANOPY_CONFIG .*EIO.* '\/proc\/self\/mem'$/],
  ])('refuses %j', (file, problem) => {
    expect(withConfigFile(folder, { CANOPY_CONFIG: file })).toEqual(E.left([expect.stringMatching(problem)]))
  })
})
