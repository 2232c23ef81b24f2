import { readFileSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { canopy } from './canopy.js'
import { serverOver } from './startServer.js'

const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8')

const examples = [...readme.matchAll(/^ {4}GET (\S+)\n {4}(.+)$/gm)].map(([, target = '', body = '']) => [target, body])

const withoutTimes = (body: string): string => body.replace(/"last_modified":\d+/g, '"last_modified":0')

const secrets = { token: '', trigger: '' }
const commands = [...readme.matchAll(/^ {4}canopy (?!doctor|serve|start)(.+)$/gm)].map(([, words = '']) =>
  words.split(' '),
)
const over = serverOver(async (data) => {
  await mkdir(join(data, 'doc/bash'), { recursive: true })
  await writeFile(join(data, 'doc/bash/README'), '')
  await canopy(data, 'demo')
  const { token, trigger } = JSON.parse(await readFile(join(data, 'demo.json'), 'utf8'))
  Object.assign(secrets, { token: token.token, trigger })
  for (const words of commands)
    await canopy(data, ...words.map((word) => word.replace('/usr/share/doc', join(data, 'doc'))))
})
const answer = async (target: string) => String((await over.server.get(target)).body)

it.each(examples)('the README shows the answer to %s', async (target = '', body = '') => {
  const asked = target.replace('[token]', secrets.token).replace('[trigger]', secrets.trigger)
  expect(withoutTimes(await answer(asked))).toBe(withoutTimes(body))
})

it('the commands of the README serve a directory', async () => {
  const [, target = ''] = /^Now `(\S+)` answers everyone/m.exec(readme) ?? []
  expect(await canopy(over.data, 'doctor')).toMatchObject([{ account: '7', note: true }])
  expect(JSON.parse(await answer(target))).toMatchObject({ content: [{ name: 'README' }] })
})
