import { createContext, runInContext } from 'node:vm'
import { arbitraries } from '@canopy/testkit'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { docsInitializer } from '../../src/openapi/docsInitializer.js'
import { docsPage } from '../../src/openapi/docsPage.js'
import { pages } from '../../src/openapi/pages.js'
import { docsInBrowsers } from './docsInBrowsers.js'

interface Element {
  readonly props: Readonly<Record<string, unknown>>
}

interface Configuration {
  readonly url: string
  readonly validatorUrl: unknown
  readonly requestInterceptor: (request: { url: string }) => { readonly url: string }
  readonly plugins: ReadonlyArray<
    () => {
      readonly wrapComponents: {
        readonly responseBody: (
          original: unknown,
          system: unknown,
        ) => (props: Readonly<Record<string, unknown>>) => Element
      }
    }
  >
}

/** What the page's script asks of Swagger UI. */
const configuration = (): Configuration => {
  const asked: Array<Configuration> = []
  runInContext(docsInitializer, createContext({ SwaggerUIBundle: (given: Configuration) => asked.push(given) }))
  const [only] = asked
  if (only === undefined) throw new Error('the script did not start Swagger UI')
  return only
}

const React = { createElement: (_: unknown, props: Element['props']): Element => ({ props }) }

const shown = (props: Readonly<Record<string, unknown>>): Element['props'] | undefined =>
  configuration().plugins[0]?.().wrapComponents.responseBody('original', { React })(props).props

docsInBrowsers()

describe('the page at /docs', () => {
  it('has no script or style of its own inside', () => {
    expect(docsPage).not.toMatch(/<style|style=|\son\w+=|javascript:|<script>/)
  })

  it('asks only for files that are served, relative to itself, wherever it is', () => {
    const addresses = [...docsPage.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address = '']) => address)
    expect(addresses.length).toBeGreaterThan(3)
    for (const address of [...addresses, configuration().url]) {
      const { pathname } = new URL(address, 'http://localhost/prefix/docs')
      expect([address, pages.has(pathname.replace(/^\/prefix/, ''))]).toEqual([address, true])
    }
  })

  it('tells nobody else of the document', () => {
    expect(configuration().validatorUrl).toBeNull()
  })

  it('sends a slash that is typed in a path as one between two names', () => {
    const { requestInterceptor } = configuration()
    const base = 'http://localhost/api/storage/v1/'
    const sent = (rest: string): string => requestInterceptor({ url: base + rest }).url.slice(base.length)
    expect(sent('tree/t/a%2Fb%2fc%20d%252F')).toBe('tree/t/a/b/c%20d%252F')
    expect(sent('diritems/t/a%2Fb?after=c%2Fd')).toBe('diritems/t/a/b?after=c%2Fd')
  })

  it('shows an answer on several lines, with every digit', () => {
    const content = '{"size":18446744073709551615,"list":[1.0,"a\\\\\\"{[,:"],"none":{},"empty":[]}'
    expect(shown({ content, contentType: 'application/json; charset=utf-8' })).toMatchObject({
      content: `{
  "size": 18446744073709551615,
  "list": [
    1.0,
    "a\\\\\\"{[,:"
  ],
  "none": {},
  "empty": []
}`,
    })
  })

  it('shows any answer as JSON does, but for its digits', () => {
    fc.assert(
      fc.property(arbitraries.triggerValue, ({ json }) => {
        const text = String(shown({ content: json, contentType: 'application/json' })?.['content'])
        expect(JSON.parse(text)).toEqual(JSON.parse(json))
        const integers = json.match(/"(?:\\.|[^"\\])*"|[-+.\w]+/g)
        expect(text.match(/"(?:\\.|[^"\\])*"|[-+.\w]+/g)).toEqual(integers)
      }),
    )
  })

  it('leaves what is no JSON as it is', () => {
    const props = { content: 'a, b', contentType: 'text/plain' }
    expect(shown(props)).toEqual(props)
  })
})
