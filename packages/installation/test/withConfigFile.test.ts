import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { withConfigFile } from '../src/withConfigFile.js'

const folder = mkdtempSync(join(tmpdir(), 'canopy-config-'))
writeFileSync(
  join(folder, 'canopy.env'),
  '# a comment\nCANOPY_PORT=9000\nCANOPY_REGISTRY="postgres://canopy:a#b@db/canopy"\n',
)

describe('CANOPY_CONFIG', () => {
  afterAll(() => rmSync(folder, { recursive: true }))

  it('names a file of variables, relative to the working directory', () => {
    expect(withConfigFile(folder, { CANOPY_CONFIG: 'canopy.env' })).toMatchObject({
      right: { CANOPY_PORT: '9000', CANOPY_REGISTRY: 'postgres://canopy:a#b@db/canopy' },
    })
  })

  it('gives way to the environment', () => {
    const variables = { CANOPY_CONFIG: join(folder, 'canopy.env'), CANOPY_PORT: '9001' }
    expect(withConfigFile('/', variables)).toMatchObject({ right: { CANOPY_PORT: '9001' } })
  })

  it('changes nothing when it is not set', () => {
    expect(withConfigFile(folder, { CANOPY_PORT: '1' })).toEqual({ _tag: 'Right', right: { CANOPY_PORT: '1' } })
  })

  it('stops the start when a line is no variable, and names every such line without repeating it', () => {
    const file = join(folder, 'broken.env')
    writeFileSync(file, 'CANOPY_PORT=0\nCANOPY_WORKERS 2\n\n  # a comment\nexport FOO\nsecret\n')
    expect(withConfigFile('/', { CANOPY_CONFIG: file })).toEqual({
      _tag: 'Left',
      left: [2, 5, 6].map((line) => `CANOPY_CONFIG: line ${line} of the file must be NAME=value, or begin with #`),
    })
  })

  it('takes what is written in other ways: quotes over several lines, export, empty values, spaces, CRLF', () => {
    const file = join(folder, 'odd.env')
    writeFileSync(
      file,
      'A="one\ntwo words\n"\nexport B=1\r\n C = 2 # and why\nD=\nE=\'it is "quoted"\'\n# F="as in\nG="x"\n',
    )
    expect(withConfigFile('/', { CANOPY_CONFIG: file })).toMatchObject({
      right: { A: 'one\ntwo words\n', B: '1', C: '2', D: '', E: 'it is "quoted"', G: 'x' },
    })
  })

  it('stops the start when the file cannot be read', () => {
    expect(withConfigFile(folder, { CANOPY_CONFIG: 'elsewhere.env' })).toEqual({
      _tag: 'Left',
      left: [expect.stringMatching(/^CANOPY_CONFIG .*ENOENT/)],
    })
  })
})
