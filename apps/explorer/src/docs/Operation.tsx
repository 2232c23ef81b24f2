import { stringify } from 'lossless-json'
import { useState } from 'preact/hooks'
import { copy } from '../announcements.js'
import { IconButton } from '../icons.js'
import { words } from '../preferences.js'
import {
  curlOf,
  isSecret,
  maskedCurlOf,
  nameOf,
  type ResolvedOperation,
  type ResponseObject,
  type Schema,
  type Values,
} from './document.js'
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

const exampleOf = ({ content = {} }: ResponseObject): string | undefined => {
  const [example] = Object.values(Object.values(content)[0]?.examples ?? {})
  return example === undefined ? undefined : stringify(example.value, undefined, 2)
}

interface ResponseItemProps {
  readonly status: string
  readonly response: ResponseObject
}

/** The example of a success stands beside the text. */
const isBeside = (status: string): boolean => status.startsWith('2')

const ResponseItem = ({ status, response }: ResponseItemProps) => {
  const { schema } = Object.values(response.content ?? {})[0] ?? {}
  const example = isBeside(status) ? undefined : exampleOf(response)
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
        {example !== undefined && <Example text={example} />}
      </details>
    </li>
  )
}

const Example = ({ text }: { readonly text: string }) => (
  <pre tabIndex={0} class="example">
    <code>{text}</code>
  </pre>
)

/** Secrets have no useful example. */
const firstValues = ({ parameters }: ResolvedOperation): Values =>
  Object.fromEntries(
    parameters.flatMap(({ name, example, ...rest }) =>
      rest.in === 'path' && example !== undefined && !isSecret(name) ? [[name, example]] : [],
    ),
  )

const Command = ({ operation, values }: { readonly operation: ResolvedOperation; readonly values: Values }) => (
  <div class="curl">
    <pre tabIndex={0}>
      <code>{maskedCurlOf(operation, values)}</code>
    </pre>
    <IconButton
      icon="copy"
      label={words().change.copy}
      onClick={() => copy(curlOf(operation, values), words().copied.command)}
    />
  </div>
)

const Parameters = ({ parameters }: Pick<ResolvedOperation, 'parameters'>) => (
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
)

/** The text of an operation, and beside it the command, the form and an example. */
export const Operation = ({ operation }: { readonly operation: ResolvedOperation }) => {
  const { operationId, path, summary, description, parameters, responses } = operation
  const [values, setValues] = useState(() => firstValues(operation))
  const example = responses.flatMap(([status, response]) => (isBeside(status) ? (exampleOf(response) ?? []) : []))[0]
  return (
    <section class="operation" aria-labelledby={operationId}>
      <div class="about">
        <h3 id={operationId}>
          <a href={`#${operationId}`}>{summary}</a>
        </h3>
        <p class="target">
          <span class="method">GET</span> <code>{path}</code>
        </p>
        {description !== undefined && <Markdown text={description} />}
        {parameters.length > 0 && <Parameters parameters={parameters} />}
        <h4>{words().docs.responses}</h4>
        <ul class="responses">
          {responses.map(([status, response]) => (
            <ResponseItem key={status} status={status} response={response} />
          ))}
        </ul>
      </div>
      <div class="beside">
        <h4>{words().docs.request}</h4>
        <Command operation={operation} values={values} />
        {example !== undefined && <Example text={example} />}
        <h4>{words().docs.tryIt}</h4>
        <TryIt
          operation={operation}
          values={values}
          setValue={(name, value) => setValues((before) => ({ ...before, [name]: value }))}
        />
      </div>
    </section>
  )
}
