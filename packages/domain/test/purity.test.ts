import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const packageRoot = join(import.meta.dirname, '..')
const textOf = (file: string): string => readFileSync(join(packageRoot, file), 'utf8')

describe('the domain is pure', () => {
  it('compiles with the language alone: no types of Node or of a browser', () => {
    expect(JSON.parse(textOf('tsconfig.json'))).toMatchObject({
      compilerOptions: { lib: ['ES2022'], types: [] },
    })
  })

  it('depends on fp-ts and io-ts, and on nothing else', () => {
    const { dependencies, peerDependencies } = JSON.parse(textOf('package.json')) as Record<string, object | undefined>
    expect(dependencies).toBe(undefined)
    expect(Object.keys(peerDependencies ?? {})).toStrictEqual(['fp-ts', 'io-ts'])
  })
})
