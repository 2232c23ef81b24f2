import { stringify } from 'lossless-json'
import { useState } from 'preact/hooks'
import { copy } from '../announcements.js'
import { Icon } from '../icons.js'
import { words } from '../preferences.js'
import { curlOf, nameOf, type ResolvedOperation, type ResponseObject, type Schema, type Values } from './document.js'
import { Inline, Markdown } from './Markdown.js'
import { TryIt } from './TryIt.js'

/** A type, with links to named types. */
export const Type = ({ schema }: { readonly schema: Schema }) => {
  if (schema.$ref !== undefined) return <a href={`#${nameOf(schema.$ref)}`}>{nameOf(schema.$ref)}</a>
  if (schema.const !== undefined) return <code>{JSON.stringify(schema.const)}</code>
  if (schema.enum !== undefined) return <code>{schema.enum.map((value) => JSON.stringify(value)).join(' | ')}</code>
  if (schema.items !== undefined)
    return (
      <>
        {words().docs.arrayOf} <Type schema={schema.items} />
      </>
    )
  if (schema.oneOf !== undefined)
    return (
      <>
        {schema.oneOf.map((each, index) => (
          <>
            {index > 0 && ` ${words().docs.or} `}
            <Type schema={each} />
          </>
        ))}
      </>
    )
  return <code>{schema.type}</code>
}

const ResponseItem = ({ status, response }: { readonly status: string; readonly response: ResponseObject }) => {
  const { schema, examples = {} } = Object.values(response.content ?? {})[0] ?? {}
  const [example] = Object.values(examples)
  return (
    <li>
      <details>
        <summary>
          <code class={`status status-${status[0]}`}>{status}</code>{' '}
          <Inline text={response.description.split('. ')[0] ?? ''} />
        </summary>
        <Markdown text={response.description} />
        {schema !== undefined && (
          <p>
            <Type schema={schema} />
          </p>
        )}
        {example !== undefined && (
          <pre tabIndex={0}>
            <code>{stringify(example.value, undefined, 2)}</code>
          </pre>
        )}
      </details>
    </li>
  )
}

/** Secrets have no useful example. */
const secrets = new Set(['token', 'triggerid'])

const firstValues = ({ parameters }: ResolvedOperation): Values =>
  Object.fromEntries(
    parameters.flatMap(({ name, example, ...rest }) =>
      rest.in === 'path' && example !== undefined && !secrets.has(name) ? [[name, example]] : [],
    ),
  )

export const Operation = ({ operation }: { readonly operation: ResolvedOperation }) => {
  const { operationId, path, summary, description, parameters, responses } = operation
  const [values, setValues] = useState(() => firstValues(operation))
  const curl = curlOf(operation, values)
  return (
    <section class="operation" aria-labelledby={operationId}>
      <h3 id={operationId}>
        <a href={`#${operationId}`}>{summary}</a>
      </h3>
      <p class="target">
        <span class="method">GET</span> <code>{path}</code>
      </p>
      <div class="curl">
        <pre tabIndex={0}>
          <code>{curl}</code>
        </pre>
        <button
          type="button"
          class="square"
          aria-label={words().docs.copyCurl}
          title={words().docs.copyCurl}
          onClick={() => copy(curl, words().docs.copied)}
        >
          <Icon name="copy" />
        </button>
      </div>
      {description !== undefined && <Markdown text={description} />}
      {parameters.length > 0 && (
        <dl class="parameters">
          {parameters.map((parameter) => (
            <div key={parameter.name}>
              <dt>
                <code>{parameter.name}</code> <span class="quiet">{words().docs.places[parameter.in]}</span>
              </dt>
              <dd>
                <Markdown text={parameter.description ?? ''} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      <h4>{words().docs.responses}</h4>
      <ul class="responses">
        {responses.map(([status, response]) => (
          <ResponseItem key={status} status={status} response={response} />
        ))}
      </ul>
      <h4>{words().docs.tryIt}</h4>
      <TryIt
        operation={operation}
        values={values}
        setValue={(name, value) => setValues((before) => ({ ...before, [name]: value }))}
      />
    </section>
  )
}
