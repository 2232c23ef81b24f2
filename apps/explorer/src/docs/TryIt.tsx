// Asks the service, and shows what it answers, to the last digit.
import { parse, stringify } from 'lossless-json'
import { useEffect, useRef, useState } from 'preact/hooks'
import { formatCount } from '../format.js'
import { words } from '../preferences.js'
import { type Described, headersOf, urlOf, type Values } from './document.js'

/** More than this is not for people: the rest of an answer is not asked for. */
const mostBytes = 262_144

interface Answered {
  readonly status: string
  readonly headers: ReadonlyArray<readonly [string, string]>
  readonly body: string
  readonly isWhole: boolean
}

const bodyOf = async (response: Response): Promise<Pick<Answered, 'body' | 'isWhole'>> => {
  if (response.body === null) return { body: '', isWhole: true }
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let body = ''
  let bytes = 0
  while (bytes < mostBytes) {
    const next = await reader.read()
    if (next.done) return { body: body + decoder.decode(), isWhole: true }
    bytes += next.value.length
    body += decoder.decode(next.value, { stream: true })
  }
  await reader.cancel()
  return { body, isWhole: false }
}

/** In lines for people, where it is JSON. */
const inLines = (body: string): string => {
  try {
    return stringify(parse(body), undefined, 2) ?? body
  } catch {
    return body
  }
}

const ask = async (operation: Described, values: Values, signal: AbortSignal): Promise<Answered> => {
  const response = await fetch(urlOf(operation, values), {
    headers: headersOf(operation, values).map(([name, value]): [string, string] => [name, value]),
    cache: 'no-store',
    credentials: 'omit',
    redirect: 'manual',
    referrerPolicy: 'no-referrer',
    signal,
  })
  return {
    status: `${response.status} ${response.statusText}`,
    headers: [...response.headers],
    ...(await bodyOf(response)),
  }
}

interface TryItProps {
  readonly operation: Described
  readonly values: Values
  readonly setValue: (name: string, value: string) => void
}

export const TryIt = ({ operation, values, setValue }: TryItProps) => {
  const [answered, setAnswered] = useState<Answered | 'asking' | 'failed'>()
  const controller = useRef<AbortController | undefined>(undefined)
  useEffect(() => () => controller.current?.abort(), [])
  const send = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    controller.current?.abort()
    const current = new AbortController()
    controller.current = current
    setAnswered('asking')
    try {
      setAnswered(await ask(operation, values, current.signal))
    } catch {
      if (!current.signal.aborted) setAnswered('failed')
    }
  }
  return (
    <form class="try" aria-label={`${words().docs.tryIt}: ${operation.operationId}`} onSubmit={send}>
      {operation.parameters.map(({ name, required = false, example }) => {
        const id = `${operation.operationId}-${name}`
        return (
          <div key={name} class="parameter">
            <label for={id}>
              {name}
              {!required && <span class="quiet"> {words().docs.optional}</span>}
            </label>
            <input
              id={id}
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
      })}
      <button type="submit" class="main">
        {words().docs.send}
      </button>
      <div role="status" class="answered">
        {answered === 'asking' && <p class="quiet">{words().loading}</p>}
        {answered === 'failed' && <p class="problem">{words().states.away[0]}</p>}
        {typeof answered === 'object' && (
          <>
            <p>
              <strong>{answered.status}</strong>
            </p>
            <details>
              <summary>{words().docs.headers(answered.headers.length)}</summary>
              <pre tabIndex={0}>{answered.headers.map(([name, value]) => `${name}: ${value}`).join('\n')}</pre>
            </details>
            {answered.body !== '' && (
              <pre tabIndex={0} class="body">
                {answered.isWhole ? inLines(answered.body) : answered.body}
              </pre>
            )}
            {!answered.isWhole && <p class="quiet">{words().docs.cut(formatCount(mostBytes))}</p>}
          </>
        )}
      </div>
    </form>
  )
}
