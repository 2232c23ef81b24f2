import { Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { writeOut } from '../src/writeOut.js'

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
  const said = async (stdout: Writable) => {
    const { stream, text } = collecting()
    let failures = 0
    writeOut('canopy', { stdout, stderr: stream }, 'all of it', () => {
      failures += 1
    })
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
})
