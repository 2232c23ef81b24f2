import { describe, expect, it } from 'vitest'
import { harness } from '../src/harness.js'
import { ran, spawned, start } from './harnessIn.js'

describe('the command line', () => {
  it('prints help and version on stdout on request, and help on stderr without a command', async () => {
    const stderr = expect.stringContaining('Usage: canopy-harness [options] [command]')
    expect(await spawned([])).toMatchObject({ stdout: '', stderr, exit: 2 })
    expect(await spawned(['--version'])).toMatchObject({ stdout: '0.1.0\n', stderr: '', exit: 0 })
    for (const usage of ['run [options]', 'conformance <url> [options]', 'model <url> [options]', 'fixture [options]'])
      expect(await ran([usage.split(' ')[0] ?? '', '--help'])).toMatchObject({
        stdout: expect.stringContaining(`Usage: canopy-harness ${usage}\n`),
        stderr: '',
        exit: 0,
      })
  })

  it.each([
    [['walk'], "unknown command 'walk'"],
    [['run', '--backend', 'mysql'], 'Allowed choices are memory, sqlite, postgresql, ceph, swift.'],
    [['run', '--worlds', 'many'], '--worlds must be a whole number from 0 to 2147483647, not "many"'],
    [['conformance'], "missing required argument 'url'"],
    [['conformance', 'localhost:8080'], 'the URL of the service is not valid: it is not http or https'],
    [['conformance', 'http://ann:secret@c'], 'it may not contain a user name or password'],
    [['conformance', 'http://a/?b'], 'it may not contain a "?" or "#"'],
    [['conformance', 'not a url'], 'it is not a URL: use a URL such as http://127.0.0.1:8080'],
    [['conformance', 'http://a', '--credentials', 'missing.json'], '--credentials missing.json: ENOENT'],
    [['conformance', 'http://a', '--skip', 'no such check'], 'no check has this in its name'],
    [['model', 'http://a', '--requests', '0'], '--requests must be a whole number from 1'],
    [['fixture', '--every-u64'], '--every-u64 requires --describe'],
  ])('reports wrong usage: %j', async (words, message) => {
    const said = await ran(words)
    expect(said).toMatchObject({ stdout: '', exit: 2 })
    expect(said.stderr).toContain('canopy-harness: ')
    expect(said.stderr).toContain(message)
    expect(said.stderr).not.toContain('secret')
  })

  it('gives a hint when its working directory is gone', async () => {
    const gone = (): string => {
      throw new Error('ENOENT: uv_cwd')
    }
    const said = await harness({ ...start, argv: ['fixture'], cwd: gone })()
    expect(said).toMatchObject({ stderr: expect.stringContaining('change to another one'), exit: 2 })
  })
})
