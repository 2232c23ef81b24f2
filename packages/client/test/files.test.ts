import type { RequestListener } from 'node:http'
import { collectGarbage, token, worldWith } from '@canopy/test-support'
import { dir, memoryPorts, textFile } from '@canopy/testkit'
import { describe, expect, it } from 'vitest'
import { startApp } from '../../../apps/server/test/startApp.js'
import { type Client, createClient } from '../src/index.js'
import { beginResponse, error, failureOf, failureWithStub, neverRespond, respond, withStub } from './stubService.js'

const world = worldWith([dir('a b', textFile('ü#?.txt', 'the text'))])

describe('a file', () => {
  it('is read by token and by user, from the service', async () => {
    const { url, stop } = await startApp(memoryPorts(world), { files: { maxDownloads: 2 } })
    const canopy = createClient({ baseUrl: url })
    const path = '/a b/ü#?.txt'
    const texts = [await canopy.file({ token, path }), await canopy.file({ user: 1, path })].map((file) => file.text())
    expect(await Promise.all(texts)).toEqual(['the text', 'the text'])
    expect(await (await fetch(canopy.fileUrl({ user: 1n, path }))).text()).toBe('the text')
    const archive = await canopy.file({ user: 1, path: '/a b', zip: true })
    expect(archive.headers.get('Content-Type')).toBe('application/zip')
    await archive.body?.cancel()
    expect(await failureOf(canopy.file({ user: 1, path: '/a b' }))).toEqual({ error: 'type mismatch' })
    await stop()
  })

  it.each<[string, RequestListener, failure: object, call?: object]>([
    ['too large', respond(413, error('too large')), { error: 'too large' }],
    ['overloaded', respond(503, error('overloaded'), { 'Retry-After': '1' }), { error: 'overloaded', retryAfter: 1 }],
    ['a service without files', respond(404, error('no such route')), { error: 'unexpected response', status: 404 }],
    ['no response in time', neverRespond, { error: 'timed out', timeoutMs: 50 }, { timeoutMs: 50 }],
    ['an aborted signal', neverRespond, { error: 'aborted' }, { timeoutMs: 50, signal: AbortSignal.abort() }],
  ])('fails: %s', async (_, listener, failure, call) => {
    const ask = (canopy: Client) => canopy.file({ token, path: '/', zip: true }, call)
    expect(await failureWithStub(listener, ask)).toEqual(failure)
  })

  it('ends with its signal, also within its body', async () => {
    const controller = new AbortController()
    await withStub(beginResponse(), async (canopy) => {
      const file = await canopy.file({ token, path: '/a' }, { signal: controller.signal })
      const reading = file.text()
      controller.abort()
      await expect(reading).rejects.toMatchObject({ failure: { error: 'aborted' } })
    })
  })

  it.each([200, 404])('with status %i leaves nothing in a signal that lives on', async (status) => {
    const signals: Array<WeakRef<AbortSignal>> = []
    const fetch = async (_: string, { signal }: RequestInit) => {
      if (signal) signals.push(new WeakRef(signal))
      return new Response(error('file not found'), { status })
    }
    const canopy = createClient({ baseUrl: 'https://files.example', fetch })
    const { signal } = new AbortController()
    await canopy
      .file({ token, path: '/a' }, { signal })
      .then((file) => file.text())
      .catch(() => '')
    const areCollected = async () => {
      await collectGarbage()
      return signals.map((each) => each.deref() === undefined)
    }
    await expect.poll(areCollected, { timeout: 5_000 }).toEqual([true])
    expect(signal.aborted).toBe(false)
  })

  it('has a URL with each name percent-encoded once', () => {
    const canopy = createClient({ baseUrl: 'https://files.example/x/' })
    expect(canopy.fileUrl({ token, path: '/a b/%2F' })).toBe(`https://files.example/x/files/token/${token}/a%20b/%252F`)
    expect(canopy.fileUrl({ user: 2n ** 64n - 1n, path: '/', zip: true })).toBe(
      'https://files.example/x/files/id/18446744073709551615?zip',
    )
    expect(() => canopy.fileUrl({ token: 'x', path: '/' })).toThrow('the access token must be')
  })
})
