import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { request } from '@canopy/testkit'
import { describe, expect, it } from 'vitest'
import { canopy } from './canopy.js'
import { serverOver } from './startServer.js'

describe('a change by the canopy command, while the server runs', () => {
  const over = serverOver(async (data) => {
    await canopy(data, 'account', 'create', '--id', '7', '--verified')
    await mkdir(join(data, 'areas/7/photos'))
    await writeFile(join(data, 'areas/7/photos/a.txt'), 'abc')
  })

  const answer = async (target: string): Promise<string> => {
    const { status, body } = await request(over.server.port, { method: 'GET', target })
    const { error, content } = JSON.parse(body.toString())
    return error === undefined ? `${status}: ${JSON.stringify(content)}` : `${status}: ${error}`
  }

  const visitor = '/api/usercontent/v1/diritems/id/7/photos'

  it('is seen by the very next request: settings', async () => {
    expect(await answer(visitor)).toBe('403: permission denied')
    await canopy(over.data, 'visibility', 'set', '7', '/photos', 'public')
    expect(await answer(visitor)).toContain('200: [{"visibility":{"inherited":true,"visibility":"public"}')
    await canopy(over.data, 'visibility', 'set', '7', '/photos/a.txt', 'private')
    expect(await answer(visitor)).toBe('200: []')
    await canopy(over.data, 'visibility', 'remove', '7', '/photos/a.txt')
    await canopy(over.data, 'visibility', 'set', '7', '/photos', 'hidden')
    expect(await answer(visitor)).toContain('"visibility":"hidden"')
    await canopy(over.data, 'visibility', 'remove', '7', '/photos')
    expect(await answer(visitor)).toBe('403: permission denied')
  })

  it('is seen by the very next request: verification, tokens, triggers', async () => {
    const { token, tokenId } = await canopy(over.data, 'token', 'issue', '7', '--scope', '/photos')
    const owner = `/api/storage/v1/tree/${token}/photos?depth=0`
    expect(await answer(owner)).toContain('200: ')
    await canopy(over.data, 'account', 'unverify', '7')
    expect(await answer(owner)).toBe('403: not verified')
    await canopy(over.data, 'account', 'verify', '7')
    expect(await answer(owner)).toContain('200: ')
    expect(await answer(`/api/storage/v1/tree/${token}/`)).toBe('403: permission denied')
    await canopy(over.data, 'token', 'revoke', tokenId)
    expect(await answer(owner)).toBe('401: invalid token')
    const { id } = await canopy(
      over.data,
      'trigger',
      'create',
      '--type',
      'bell',
      '--value',
      '{"n":18446744073709551615}',
    )
    const peeked = await request(over.server.port, { method: 'GET', target: `/api/triggers/v1/peek/${id}` })
    expect(peeked.body.toString()).toBe('{"type":"trigger peak","value":{"type":"bell","n":18446744073709551615}}')
    await canopy(over.data, 'trigger', 'delete', id)
    expect(await answer(`/api/triggers/v1/peek/${id}`)).toBe('404: trigger not found')
  })
})
