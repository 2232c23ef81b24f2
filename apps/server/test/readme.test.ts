import { readFileSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { request } from '@canopy/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { canopy } from './canopy.js'
import { type Server, startServer, temporaryData } from './startServer.js'

const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8')

const examples = [...readme.matchAll(/^ {4}GET (\S+)\n {4}(.+)$/gm)].map(([, target = '', body = '']) => [target, body])

const withoutTimes = (body: string): string => body.replace(/"last_modified":\d+/g, '"last_modified":0')

describe('the answers in the README', () => {
  let data = ''
  let server: Server
  let secrets = { token: '', trigger: '' }

  beforeAll(async () => {
    data = await temporaryData()
    await canopy(data, 'demo')
    const memory = JSON.parse(await readFile(join(data, 'demo.json'), 'utf8'))
    secrets = { token: memory.token.token, trigger: memory.trigger }
    server = await startServer({ CANOPY_DATA: data })
  })
  afterAll(async () => {
    await server.end()
    await rm(data, { recursive: true })
  })

  it('show every operation', () => {
    const prefixes = examples.map(([target]) => target?.split('/').slice(2, 5).join('/'))
    expect(new Set(prefixes)).toEqual(
      new Set([
        'storage/v1/tree',
        'usercontent/v1/tree',
        'storage/v1/diritems',
        'usercontent/v1/diritems',
        'triggers/v1/peek',
      ]),
    )
  })

  it.each(examples)('%s', async (target = '', body = '') => {
    const asked = target.replace('[token]', secrets.token).replace('[trigger]', secrets.trigger)
    const answer = await request(server.port, { method: 'GET', target: asked })
    expect(withoutTimes(answer.body.toString())).toBe(withoutTimes(body))
  })
})

describe("an operator's five minutes", () => {
  const commands = [...readme.matchAll(/^ {4}npx canopy (?!doctor)(.+)$/gm)].map(([, words = '']) => words.split(' '))
  const [, target = ''] = /^Now `(\S+)` answers everyone/m.exec(readme) ?? []

  it('are about an account of their own, also where the demo has been made', async () => {
    const data = await temporaryData()
    await mkdir(join(data, 'doc/bash'), { recursive: true })
    await writeFile(join(data, 'doc/bash/README'), '')
    await canopy(data, 'demo')
    for (const words of commands)
      await canopy(data, ...words.map((word) => word.replace('/usr/share/doc', join(data, 'doc'))))
    expect(await canopy(data, 'doctor')).toMatchObject([{ account: '7', note: true }])
    const server = await startServer({ CANOPY_DATA: data })
    const answer = await request(server.port, { method: 'GET', target })
    await server.end()
    await rm(data, { recursive: true })
    expect(JSON.parse(answer.body.toString())).toMatchObject({ content: [{ name: 'README' }] })
  })
})
