import { TriggerId } from '@canopy/domain'
import { describe, expect, it } from 'vitest'
import { newTriggerId, triggerValue } from '../src/trigger.js'
import { freshCanopy } from './canopyIn.js'

describe('canopy trigger', () => {
  it('creates, lists and deletes triggers with every digit of their values', async () => {
    const { run } = await freshCanopy()
    const fields = '"n":18446744073709551615,"x":1.0,"y":1e400}'
    const json = `{"id":"bell","value":{"type":"copy",${fields},"expires":"2030-01-01T00:00:00Z"}`
    const options = ['--id', 'bell', '--value', `{${fields}`, '--expires', '2030-01-01T00:00:00Z']
    const created = await run('trigger', 'create', '--type', 'copy', ...options, '--json')
    expect(created).toEqual({ stdout: `${json}\n`, stderr: '', exit: 0 })
    expect((await run('trigger', 'list', '--json')).stdout).toBe(`[${json}]\n`)
    expect((await run('trigger', 'delete', 'bell', '--json')).stdout).toBe(`${json}\n`)
  })

  it('generates an id of 16 random bytes, and prints the URL', async () => {
    const { run } = await freshCanopy({ CANOPY_HOST: '::', CANOPY_PORT: '9000' })
    const [id = '', ...rest] = (await run('trigger', 'create', '--type', 'copy')).stdout.split('\n')
    expect(id).toMatch(/^[A-Za-z0-9_][A-Za-z0-9_-]{21}$/)
    expect(rest).toContain(`http://[::1]:9000/api/triggers/v1/peek/${id}`)
  })

  it('lists a broken trigger with a hint, and exits with 1', async () => {
    const { byHand, json, run } = await freshCanopy()
    for (const id of ['a', '-b', 'c']) await run('trigger', 'create', '--type', 'copy', '--id', id)
    byHand(`update triggers set value = 's3cret' where id = '-b'; update triggers set id = 'c/d' where id = 'c'`)
    const wrong = (column: string) => `the registry contains an invalid value in triggers.${column}`
    const value = `${wrong('value')}, so requests for it fail with the error \`external\`: run \`canopy trigger delete -- -b\`, then create it again`
    const id = expect.stringContaining(
      `${wrong('id')}, so requests for it fail with the error \`external\`: its ID is not valid`,
    )

    const { stdout, ...rest } = await run('trigger', 'list')
    expect(rest).toEqual({ stderr: '', exit: 1 })
    expect(stdout.split('\n')).toEqual([
      'ID  EXPIRES  VALUE',
      'a   never    {"type":"copy"}',
      `trigger -b is broken: ${value}`,
      expect.stringMatching(/^trigger c\/d is broken: /),
      '',
    ])
    expect(await run('trigger', 'list', '--json')).toMatchObject({ exit: 1 })
    expect(await json('trigger', 'list')).toEqual([
      { id: '-b', value: null, expires: null, broken: value },
      { id: 'a', value: { type: 'copy' }, expires: null },
      { id: 'c/d', value: null, expires: null, broken: id },
    ])
    expect(await run('trigger', 'delete', '--', '-b')).toMatchObject({ exit: 0 })
    expect(await json('trigger', 'list')).toMatchObject([{ id: 'a' }, { id: 'c/d' }])
  })

  it('refuses existing and unknown ids, and invalid options', async () => {
    const { json, run } = await freshCanopy()
    const create = ['trigger', 'create', '--type', 'copy', '--id', 'bell']
    await run(...create)
    expect(await json(...create)).toMatchObject({ error: 'trigger exists' })
    expect(await run(...create)).toMatchObject({ exit: 1, stderr: expect.stringContaining('choose another --id') })
    expect(await json('trigger', 'delete', 'gate')).toMatchObject({ error: 'no such trigger' })
    expect(await run('trigger', 'create', '--type', 'x', '--expires', '2020-01-01')).toMatchObject({ exit: 2 })
    expect(await json('trigger', 'list')).toMatchObject([{ id: 'bell' }])
  })
})

it.each([
  ['t', '{"b":1.0,"10":1e400,"2":{"deep":0.10}}', '{"type":"t","b":1.0,"10":1e400,"2":{"deep":0.10}}'],
  ['t', '{}', '{"type":"t"}'],
  ['a "quoted" type', ' { } ', '{"type":"a \\"quoted\\" type"}'],
  // An equal type stays.
  ['t', ' {"a":1,"type":"t"} ', '{"a":1,"type":"t"}'],
  ['t', '{"__proto__":{"type":"x"},"constructor":1}', '{"type":"t","__proto__":{"type":"x"},"constructor":1}'],
])('the value of a trigger is the type %j, then the unchanged fields of --value %s', (type, value, json) => {
  expect(triggerValue(type, value)).toMatchObject({ right: { json } })
})

it.each([
  [['{"type":"u"}', '{"type":1}', '{"type":null}', '{"\\u0074ype":"u"}'], { hint: 'remove it from --value' }],
  [['{"a":1,"a":2}'], { message: expect.stringMatching(/not valid JSON: Duplicate key 'a'/) }],
  [['', 'x', '{"a":1', '{"a":1}{}', '[]', '1', '"s"', 'null', '{a:1}'], { error: 'invalid usage' }],
])('the value of a trigger is not one of %j', (values, problem) => {
  for (const value of values) expect(triggerValue('t', value)).toMatchObject({ left: { exit: 2, ...problem } })
})

it('a random trigger id never begins with "-", like an option', () => {
  const ids = Array.from({ length: 1_000 }, newTriggerId)
  expect(ids.filter((id) => id.startsWith('-') || !TriggerId.is(id))).toEqual([])
})
