// The page at /docs: the OpenAPI document for people.
import { render } from 'preact'
import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { Announcements } from '../announcements.js'
import { Logo } from '../icons.js'
import { applyPreferences, usePreferences, words } from '../preferences.js'
import { root } from '../routes.js'
import { ThemeButton } from '../Theme.js'
import { loadDocument, type OpenApi, operationsOf, type Schema } from './document.js'
import { Markdown } from './Markdown.js'
import { Operation, Type } from './Operation.js'

const Fields = ({ schema }: { readonly schema: Schema }) => (
  <dl class="parameters">
    {Object.entries(schema.properties ?? {}).map(([name, field]) => (
      <div key={name}>
        <dt>
          <code>{name}</code>{' '}
          {schema.required?.includes(name) !== true && <span class="quiet">{words().docs.optional}</span>}
        </dt>
        <dd>
          <p>
            <Type schema={field} />
          </p>
          {field.description !== undefined && <Markdown text={field.description} />}
        </dd>
      </div>
    ))}
  </dl>
)

const Document = ({ document: { info, tags, components }, document: openApi }: { readonly document: OpenApi }) => {
  const operations = operationsOf(openApi)
  const ofTag = (name: string) => operations.filter((operation) => operation.tags.includes(name))
  // The browser looked for the fragment before the document was loaded.
  useLayoutEffect(() => document.getElementById(location.hash.slice(1))?.scrollIntoView(), [])
  return (
    <div class="docs">
      <nav class="contents" aria-label={words().docs.contents}>
        {tags.map(({ name }) => (
          <section key={name}>
            <p class="quiet">{name}</p>
            <ul>
              {ofTag(name).map(({ operationId, path, summary }) => (
                <li key={operationId}>
                  <a href={`#${operationId}`} title={path}>
                    {summary}
                  </a>
                </li>
              ))}
            </ul>
          </section>
        ))}
        <p>
          <a href="#values">{words().docs.values}</a>
        </p>
      </nav>
      <main class="text">
        <h1>{words().docs.title}</h1>
        <Markdown text={info.description} />
        <p>
          <a href={`${root}openapi.json`}>openapi.json</a> <span class="quiet">{words().docs.forPrograms}</span>
        </p>
        {tags.map(({ name, description }) => (
          <section key={name} class="tag">
            <h2>{name}</h2>
            <p class="quiet">{description}</p>
            {ofTag(name).map((operation) => (
              <Operation key={operation.operationId} operation={operation} />
            ))}
          </section>
        ))}
        <section class="tag">
          <h2 id="values">{words().docs.values}</h2>
          {Object.entries(components.schemas).map(([name, schema]) => (
            <section key={name} class="operation">
              <h3 id={name}>{name}</h3>
              {schema.description !== undefined && <Markdown text={schema.description} />}
              {schema.properties === undefined ? (
                <p>
                  <Type schema={schema} />
                </p>
              ) : (
                <Fields schema={schema} />
              )}
            </section>
          ))}
        </section>
      </main>
    </div>
  )
}

const Docs = () => {
  const [loaded, setLoaded] = useState<OpenApi | 'failed'>()
  usePreferences()
  useEffect(() => {
    const load = async (): Promise<void> => setLoaded(await loadDocument().catch(() => 'failed' as const))
    void load()
  }, [])
  return (
    <>
      <header class="bar">
        <a class="brand" href={root} aria-label={`Canopy: ${words().start}`}>
          <Logo />
          <strong>Canopy</strong>
        </a>
        <div class="actions">
          <ThemeButton />
        </div>
      </header>
      {loaded === 'failed' ? (
        <main class="state">
          <h1>{words().states.away[0]}</h1>
          <a href={`${root}openapi.json`}>openapi.json</a>
        </main>
      ) : loaded === undefined ? (
        <main />
      ) : (
        <Document document={loaded} />
      )}
      <Announcements />
    </>
  )
}

applyPreferences()
const element = document.getElementById('docs')
if (element !== null) render(<Docs />, element)
