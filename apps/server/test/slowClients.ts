import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { dir, file, worldWith } from '@canopy/test-support'
import type { World } from '@canopy/testkit'
import { expect, it, vi } from 'vitest'
import { bin, canopyWith } from './canopy.js'
import { outputOf, type Server, type Variables, type Words } from './startServer.js'

/** Real servers, and an operator with the real command. */
export interface Installed {
  readonly variables: Variables
  readonly servers: ReadonlyArray<Server>
  readonly addFile: (path: string) => Promise<void>
}

export const runCommand = async ({ variables }: Installed, words: Words): Promise<void> => {
  expect(await outputOf(variables, [bin, ...words])).toMatchObject({ code: 0 })
}

/**
 * Server and system hold up to 5 MB for a client that does not read. JSON escapes make 1.5 kB of each of these names, so the
 * server cannot reach `later` before the client reads.
 */
const ballast = Array.from({ length: 4_500 }, (_, index) => file(`${'\u0001'.repeat(240)}${index}`))

/** Two pages of an object store, and a listing that is sent in one piece. */
const twoPages = Array.from({ length: 1_500 }, (_, index) => file(`f${index}`))

export const slowWorld: World = worldWith([
  dir('album', ...ballast, dir('later', file('before'))),
  dir('pages', ...twoPages),
])

const slowClient = async ({ port }: Server, path: string) => {
  const id = randomUUID()
  const asked = request({ host: '127.0.0.1', port, path, agent: false, headers: { 'X-Request-Id': id } }).end()
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  // A reset connection fails both the request and the response.
  asked.on('error', () => undefined)
  const readAll = async () => {
    const chunks: Array<Buffer> = []
    const isComplete = await response
      .forEach((chunk) => void chunks.push(chunk))
      .then(
        () => true,
        () => false,
      )
    return { isComplete, text: String(Buffer.concat(chunks)) }
  }
  return { id, readAll }
}

interface Change {
  readonly client: 'visitor' | 'owner'
  /** Arguments of the command; the token is the client's. */
  readonly words: (token: string) => Words
  readonly undo: Words | undefined
  /** The log line of an answer that is cut. Otherwise the answer is complete. */
  readonly cut?: { readonly error: string; readonly cause?: unknown }
}

const unverified = { words: () => ['account', 'unverify', '1'], undo: ['account', 'verify', '1'] }
const revoked = { words: (token: string) => ['token', 'revoke', token], undo: undefined }
const setting = (path: string, visibility: string): Omit<Change, 'client'> => ({
  words: () => ['visibility', 'set', '1', path, visibility],
  undo: ['visibility', 'set', '1', path, 'public'],
})
const moved = {
  words: () => ['account', 'update', '1', '--area', 'elsewhere'],
  undo: ['account', 'update', '1', '--area', '1'],
}

const because = (text: string) => ({ error: 'external', cause: { message: expect.stringContaining(text) } })
const denied = { error: 'permission denied' }

const changes: Readonly<Record<string, Change>> = {
  'a private directory': { client: 'visitor', ...setting('/album/later', 'private') },
  'a hidden directory': { client: 'visitor', ...setting('/album/later', 'hidden') },
  'a private directory above': { client: 'visitor', ...setting('/album', 'private'), cut: because('invisible') },
  'a private area': { client: 'visitor', ...setting('/', 'private'), cut: denied },
  'an unverified account': { client: 'visitor', ...unverified, cut: denied },
  'an unverified account of its own': { client: 'owner', ...unverified, cut: { error: 'not verified' } },
  'an area that its account left': { client: 'owner', ...moved, cut: because('moved') },
  'an area whose token is revoked': { client: 'owner', ...revoked, cut: { error: 'invalid token' } },
}

/** A slow client of each server starts to read a tree. Then the change is made, and a file added. */
const answersAround = async (installed: Installed, { client, words, undo }: Change, added: string) => {
  const { token } = await canopyWith(installed.variables, 'token', 'issue', '1')
  const path = client === 'owner' ? `/api/storage/v1/tree/${token}` : '/api/usercontent/v1/tree/id/1'
  const clients = installed.servers.map(async (server) => ({ server, ...(await slowClient(server, path)) }))
  const begun = await Promise.all(clients)
  await runCommand(installed, words(token))
  await installed.addFile(`album/later/${added}`)
  const answers = await Promise.all(begun.map(async ({ readAll, ...each }) => ({ ...each, ...(await readAll()) })))
  if (undo !== undefined) await canopyWith(installed.variables, ...undo)
  return answers
}

export const testSlowClients = (tries: number, installed: () => Installed): void => {
  it.each(Object.entries(changes))('a slow client is not shown a file that was added to %s', async (title, change) => {
    const isCut = change.cut !== undefined
    for (let attempt = 1; attempt <= tries; attempt += 1) {
      const added = `added to ${title} ${attempt}`
      for (const { server, id, isComplete, text } of await answersAround(installed(), change, added)) {
        // Without its directory: the server read that after the change.
        const shown = [added, '"later"'].filter((name) => text.includes(name))
        expect({ attempt, isComplete, shown }).toEqual({ attempt, isComplete: !isCut, shown: [] })
        const line = await vi.waitUntil(() => server.said('request').find((each) => each['id'] === id), 60_000)
        expect(line).toMatchObject({ status: 200, ...change.cut })
        expect(line['aborted']).toBe(isCut ? true : undefined)
      }
    }
  })
}
