import { Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { writeOut } from '../src/commandLine.js'

const collecting = () => {
  const chunks: Array<string> = []
  const stream = new Writable({
    write: (chunk, _, done) => {
      chunks.push(String(chunk))
      done()
    },
  })
  return { stream, text: () => chunks.join('') }
}

const failingWith = (code: string) =>
  new Writable({ write: (_, __, done) => done(Object.assign(new Error(`${code}: it failed`), { code })) })

describe('what a program has to say', () => {
  const said = async (stdout: Writable, unseen?: string) => {
    const { stream, text } = collecting()
    let failures = 0
    const failed = () => {
      failures += 1
    }
    writeOut('canopy', { stdout, stderr: stream }, 'all of it', failed, unseen)
    await new Promise((resolve) => setImmediate(resolve))
    return { told: text(), failures }
  }

  it('is written', async () => {
    const { stream, text } = collecting()
    expect(await said(stream)).toEqual({ told: '', failures: 0 })
    expect(text()).toBe('all of it')
  })

  it('may be read in part', async () => {
    expect(await said(failingWith('EPIPE'))).toEqual({ told: '', failures: 0 })
  })

  it('is a failure when it cannot be written', async () => {
    const told = 'canopy: cannot write the whole answer: ENOSPC: it failed\n'
    expect(await said(failingWith('ENOSPC'))).toEqual({ told, failures: 1 })
  })

  it('is a failure also when nobody reads it, where it cannot be asked for again', async () => {
    const told = 'canopy: cannot write the whole answer: EPIPE: it failed\ncanopy: it was a secret\n'
    expect(await said(failingWith('EPIPE'), 'it was a secret')).toEqual({ told, failures: 1 })
    expect(await said(collecting().stream, 'it was a secret')).toEqual({ told: '', failures: 0 })
  })
})
