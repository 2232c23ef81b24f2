import { parse, stringify } from 'lossless-json'
import { useEffect, useRef, useState } from 'preact/hooks'
import { formatCount, formatSize } from '../format.js'
import { words } from '../preferences.js'
import { type ReadText, readText } from '../readText.js'
import { headersOf, isSecret, type Parameter, type ResolvedOperation, urlOf, type Values } from './document.js'

interface TriedResponse extends ReadText {
  readonly status: string
  readonly headers: ReadonlyArray<readonly [string, string]>
  readonly durationMs: number
}

/** Indents JSON and keeps every digit. */
const indent = (body: string): string => {
  try {
    return stringify(parse(body), undefined, 2) ?? body
  } catch {
    return body
  }
}

const sendRequest = async (
  operation: ResolvedOperation,
  values: Values,
  signal: AbortSignal,
): Promise<TriedResponse> => {
  const startedAt = performance.now()
  const response = await fetch(urlOf(operation, values), {
    headers: headersOf(operation, values).map(([name, value]): [string, string] => [name, value]),
    cache: 'no-store',
    credentials: 'omit',
    redirect: 'manual',
    referrerPolicy: 'no-referrer',
    signal,
  })
  const read = await readText(response)
  return {
    ...read,
    // Only JSON and text are for people to read.
    text: /json|^text\//.test(response.headers.get('content-type') ?? '') ? read.text : '',
    status: `${response.status} ${response.statusText}`,
    headers: [...response.headers],
    durationMs: performance.now() - startedAt,
  }
}

type Attempt = TriedResponse | 'pending' | 'failed' | undefined

const Tried = ({ tried }: { readonly tried: TriedResponse }) => (
  <>
    <p>
      <strong>{tried.status}</strong>{' '}
      <span class="quiet">
        {words().docs.took(formatCount(Math.round(tried.durationMs)), formatSize(BigInt(tried.bytes)))}
      </span>
    </p>
    <details>
      <summary>{words().docs.headers(tried.headers.length)}</summary>
      <pre tabIndex={0}>{tried.headers.map(([name, value]) => `${name}: ${value}`).join('\n')}</pre>
    </details>
    {tried.text !== '' && (
      <pre tabIndex={0} class="body">
        {tried.isCut ? tried.text : indent(tried.text)}
      </pre>
    )}
    {tried.isCut && <p class="quiet">{words().docs.cut(formatSize(BigInt(tried.bytes)))}</p>}
  </>
)

interface TryItProps {
  readonly operation: ResolvedOperation
  readonly values: Values
  readonly setValue: (name: string, value: string) => void
}

interface ParameterFieldProps extends Omit<TryItProps, 'operation'> {
  readonly id: string
  readonly parameter: Parameter
}

const ParameterField = ({
  id,
  parameter: { name, required = false, example },
  values,
  setValue,
}: ParameterFieldProps) => (
  <div class="parameter">
    <label for={id}>
      {name}
      {!required && <span class="quiet"> {words().docs.optional}</span>}
    </label>
    <input
      id={id}
      class={isSecret(name) ? 'masked' : ''}
      type="text"
      required={required}
      placeholder={required ? example : undefined}
      value={values[name] ?? ''}
      autocomplete="off"
      autocapitalize="off"
      spellcheck={false}
      onInput={(event) => setValue(name, event.currentTarget.value)}
    />
  </div>
)

/** Sends one request at a time. */
const useRequest = (operation: ResolvedOperation, values: Values): readonly [Attempt, (event: SubmitEvent) => void] => {
  const [tried, setTried] = useState<Attempt>()
  const controller = useRef<AbortController | undefined>(undefined)
  useEffect(() => () => controller.current?.abort(), [])
  const send = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    controller.current?.abort()
    const current = new AbortController()
    controller.current = current
    setTried('pending')
    try {
      setTried(await sendRequest(operation, values, current.signal))
    } catch {
      if (!current.signal.aborted) setTried('failed')
    }
  }
  return [tried, (event) => void send(event)]
}

/** A form that sends a request and shows the response with every digit. */
export const TryIt = ({ operation, values, setValue }: TryItProps) => {
  const [tried, send] = useRequest(operation, values)
  return (
    <form class="try" aria-label={`${words().docs.tryIt}: ${operation.operationId}`} onSubmit={send}>
      {operation.parameters.map((parameter) => (
        <ParameterField
          key={parameter.name}
          id={`${operation.operationId}-${parameter.name}`}
          {...{ parameter, values, setValue }}
        />
      ))}
      <button type="submit" class="main">
        {words().docs.send}
      </button>
      <div role="status" class="response">
        {tried === 'pending' && <p class="quiet">{words().loading}</p>}
        {tried === 'failed' && <p class="problem">{words().states.away[0]}</p>}
        {typeof tried === 'object' && <Tried tried={tried} />}
      </div>
    </form>
  )
}
