import { dir, file, worldWith } from '@canopy/test-support'
import { memoryPorts } from '@canopy/testkit'
import { describe, expect, it } from 'vitest'
import { respond } from './readme.js'

const ports = memoryPorts(worldWith([dir('photos', file('a'), file('b'), file('c'))]))
const target = '/api/usercontent/v1/diritems/id/1'

describe('the example of the README', () => {
  it('returns a page with a link to the next one', async () => {
    const { status, headers, body } = await respond(`${target}/photos?limit=2`, ports)()
    const names = JSON.parse(body).content.map(({ name }: { readonly name: string }) => name)
    expect([status, names]).toEqual([200, ['a', 'b']])
    expect(headers).toMatchObject({ 'Cache-Control': 'public, no-cache', Link: '<?limit=2&after=b>; rel="next"' })
  })

  it.each([
    [`${target}/none`, 404, { error: 'file not found' }],
    [`${target}?limit=x`, 400, { error: 'bad request', parameter: 'limit' }],
    ['/elsewhere', 404, { error: 'no such route' }],
  ])('returns %s: %i and its envelope', async (url, status, envelope) => {
    const response = await respond(url, ports)()
    expect([response.status, JSON.parse(response.body)]).toEqual([status, { type: 'error', ...envelope }])
  })
})
