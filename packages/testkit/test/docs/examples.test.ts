import { Failure } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { expect, it } from 'vitest'
import { wrongAnswers } from '../readme.js'
import { shown } from './visitorsNames.js'
import { ask } from './withoutFpTs.js'

it('the example of the README finds no wrong answer', async () => {
  expect(await wrongAnswers()).toEqual([])
})

it('visitorsNames.ts lists what a visitor sees', async () => {
  expect(await shown()).toEqual([E.right(['sea & sky.jpg']), E.left(Failure.permissionDenied)])
})

const error = (name: string): string => JSON.stringify({ type: 'error', error: name })

const visible = (inherited: boolean, visibility: string) => ({ inherited, visibility })

it('the program without fp-ts has an adapter that answers the five operations', async () => {
  const sea = { name: 'sea.jpg', size: 9, last_modified: 0, visibility: visible(true, 'public') }
  const a = { type: 'dir', name: 'a', visibility: visible(false, 'public'), content: [{ type: 'file', ...sea }] }
  const root = { type: 'dir', name: '', visibility: visible(false, 'private'), content: [a] }
  const { name, size, last_modified, visibility } = sea
  const content = [{ visibility, is_file: true, name, last_modified, size }]
  expect(JSON.parse(await ask.tree('/'))).toEqual({ type: 'tree', content: root })
  expect(JSON.parse(await ask.tree7('/a'))).toEqual({ type: 'tree', content: a })
  for (const items of [ask.items, ask.items7])
    expect(JSON.parse(await items('/a'))).toEqual({ type: 'dir content', content })
  expect(await ask.peek('bell')).toBe('{"type":"trigger peak","value":{"type":"mail"}}')
})

it('the program without fp-ts fails as they do', async () => {
  expect(await ask.tree('/b')).toBe(error('file not found'))
  expect(await ask.tree7('/')).toBe(error('permission denied'))
  expect(await ask.items('/a/sea.jpg')).toBe(error('type mismatch'))
  expect(await ask.items7('/a/sea.jpg/x')).toBe(error('type mismatch'))
  expect(await ask.peek('no')).toBe(error('trigger not found'))
})
