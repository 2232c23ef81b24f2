import { dir, file, worldWith } from '@canopy/test-support'
import { memoryPorts, textFile } from '@canopy/testkit'
import { expect, it } from 'vitest'
import { servedApps, withoutOwn } from '../inProcess.js'

const world = worldWith([dir('open', textFile('a.txt', 'the text of a'), file('none', 0)), textFile('ü\n.txt', 'odd')])

const serve = servedApps()
const files = { maxDownloads: 10 }
const served = () => serve(memoryPorts(world), { files })

// The harness asks the scenarios of files.
it.each([
  ['/files/id/1/open%2Fa.txt', 200, 'the text of a'],
  ['/files/id/1/%C3%BC%0A.txt', 200, 'odd'],
  ['/files/id/1/open/none', 200, ''],
  ['/files/id/', 404, '{"type":"error","error":"no such route"}'],
  ['/files/1/open/a.txt', 404, '{"type":"error","error":"no such route"}'],
])('%s is %i with the body %s', async (target, status, text) => {
  const answer = await (await served()).ask(target)
  expect([answer.status, String(answer.body)]).toEqual([status, text])
})

it('a file has HEAD with the headers of GET, OPTIONS, and no other method', async () => {
  const service = await served()
  const ask = (method: string) => service.ask('/files/id/1/open/a.txt', {}, method)
  const [get, head] = [await ask('GET'), await ask('HEAD')]
  expect([head.body.length, withoutOwn(head)]).toEqual([0, withoutOwn(get)])
  expect([(await ask('OPTIONS')).status, (await ask('PUT')).status]).toEqual([204, 405])
})

it('files are missing unless they are on and the storage can open them', async () => {
  const { openFile: _, ...others } = memoryPorts(world)
  for (const service of [await serve(memoryPorts(world)), await serve(others, { files })])
    expect((await service.ask('/files/id/1/open/a.txt')).status).toBe(404)
})
