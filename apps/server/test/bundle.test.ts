import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const dist = new URL('../dist/', import.meta.url)

const textOf = (name: string): string => readFileSync(new URL(name, dist), 'utf8')

const names = (): ReadonlyArray<string> => readdirSync(dist).filter((name) => /^main.*\.js$/.test(name))

const bundled = (): string => names().map(textOf).join('\n')

describe('the bundle', () => {
  it('takes fp-ts and io-ts as modules: as CommonJS each function is looked up by name whenever it is used', () => {
    expect(new Set(bundled().match(/\b(?:fp-ts|io-ts)\/(?:lib|es6)\b/g))).toEqual(new Set(['fp-ts/es6', 'io-ts/es6']))
  })

  it('has what replaces parts of fp-ts, and not the original beside it', () => {
    expect(bundled().match(/\bdual = .*/g)).toEqual([expect.stringContaining('=>')])
    expect(bundled()).not.toContain('Array.from(arguments)')
    expect(bundled().match(/\btryCatch\S* = .*async/g)).toHaveLength(1)
    expect(bundled()).not.toContain('__generator')
  })

  it('has prom-client where metrics are, and OpenTelemetry is asked for where traces are, nowhere else', () => {
    const having = (text: RegExp) => names().filter((name) => text.test(textOf(name)))
    expect(having(/\/prom-client\/lib\/|['"]prom-client['"]/)).toEqual(['main-exposeMetrics.js'])
    expect(having(/['"]@opentelemetry\//)).toEqual(['main-openTelemetry.js'])
  })
})
