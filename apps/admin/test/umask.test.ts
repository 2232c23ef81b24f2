import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { freshCanopy } from './canopyIn.js'

type Created = readonly [path: string, isDirectory: boolean, mode: number]

const modesIn = (directory: string): ReadonlyArray<Created> =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' }).map((path) => {
    const stats = lstatSync(join(directory, path))
    return [path, stats.isDirectory(), stats.mode & 0o777]
  })

/** Whether it is as open as it should be: less what the umask takes. */
const isRight =
  (umask: number) =>
  ([path, isDirectory, mode]: Created): boolean => {
    const most = isDirectory ? 0o750 : /registry\.sqlite|demo\.json/.test(path) ? 0o600 : 0o640
    return mode === (most & ~umask)
  }

const commands = {
  'the demo': [['demo']],
  'the first account': [['account', 'create']],
  'an account elsewhere': [['account', 'create', '--area', 'elsewhere/deep/below']],
  'a token, a setting and a trigger': [
    ['account', 'create', '--id', '7', '--verified'],
    ['token', 'issue', '7'],
    ['visibility', 'set', '7', '/', 'public'],
    ['trigger', 'create', '--type', 'bell'],
  ],
}

const expectClosed = (directory: string, umask: number): void => {
  const modes = modesIn(directory)
  expect(modes.map(([path]) => path)).toEqual(expect.arrayContaining(['data', 'data/areas', 'data/registry.sqlite']))
  expect(modes.filter((created) => !isRight(umask)(created))).toEqual([])
}

describe('what a command creates is closed to other users', () => {
  describe.each([
    ['000', 0o000],
    ['022', 0o022],
    ['077', 0o077],
  ])('under umask %s', (_, umask) => {
    const before = process.umask()
    beforeEach(() => void process.umask(umask))
    afterEach(() => void process.umask(before))

    it.each(Object.entries(commands))('by %s', async (__, all) => {
      const { directory, run } = await freshCanopy()
      for (const words of all) expect(await run(...words)).toMatchObject({ exit: 0 })
      expectClosed(directory, umask)
    })
  })

  it('in a process of its own too', async () => {
    const { directory, spawnUnder } = await freshCanopy()
    expect(await spawnUnder(0o000, 'demo')).toMatchObject({ exit: 0 })
    expectClosed(directory, 0o000)
  })
})
