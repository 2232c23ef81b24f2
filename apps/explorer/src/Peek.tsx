import type { Failure, JsonValue, PeekedTrigger } from '@canopy/client'
import { useEffect, useState } from 'preact/hooks'
import { forget, keep, secret } from './credentials.js'
import { formatCount } from './format.js'
import { Icon } from './icons.js'
import { Visible } from './Name.js'
import { refresh } from './navigation.js'
import { words } from './preferences.js'
import { Failed } from './State.js'
import { peek } from './service.js'
import { Field } from './WaysIn.js'

/** Members for each "show more". */
const memberStep = 200

interface MembersProps {
  readonly members: ReadonlyArray<readonly [string, JsonValue]>
  readonly level: number
}

const Members = ({ members, level }: MembersProps) => {
  const [shownCount, setShownCount] = useState(memberStep)
  return (
    <ul>
      {members.slice(0, shownCount).map(([name, value]) => (
        <li key={name}>
          <Value name={name} value={value} level={level} />
        </li>
      ))}
      {members.length > shownCount && (
        <li>
          <button type="button" onClick={() => setShownCount(shownCount + memberStep)}>
            {words().peek.more(formatCount(members.length - shownCount))}
          </button>
        </li>
      )}
    </ul>
  )
}

interface ValueProps {
  readonly name: string
  readonly value: JsonValue
  readonly level: number
}

/** Levels that begin open. */
const openLevels = 2

const Value = ({ name, value, level }: ValueProps) => {
  const [isOpen, setOpen] = useState(level < openLevels)
  const key = (
    <span class="key">
      <Visible text={name} />
    </span>
  )
  if (typeof value !== 'object' || value === null)
    return (
      <>
        {key}{' '}
        <span class={`value ${value === null ? 'null' : typeof value}`}>
          <Visible text={String(value)} />
        </span>
      </>
    )
  const members = Object.entries(value)
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {key} <span class="quiet">{words().peek.members(members.length)}</span>
      </summary>
      {isOpen && <Members members={members} level={level + 1} />}
    </details>
  )
}

const Peeked = ({ trigger }: { readonly trigger: PeekedTrigger }) => {
  const members = Object.entries(trigger.value).filter(([name]) => name !== 'type')
  return (
    <>
      <p class="lead">
        <Icon name="check" /> {words().peek.note}
      </p>
      <dl class="facts">
        <dt>{words().peek.type}</dt>
        <dd>
          <Visible text={trigger.type} />
        </dd>
      </dl>
      <h2>{words().peek.value}</h2>
      <div class="json">
        <Members members={members} level={1} />
      </div>
      <details class="raw">
        <summary>{words().peek.text}</summary>
        <pre tabIndex={0}>
          <code>
            <Visible text={trigger.json} />
          </code>
        </pre>
      </details>
    </>
  )
}

type Peeking = { readonly trigger?: PeekedTrigger; readonly failure?: Failure }

/** Reports whether another id may help. */
const isWrongId = ({ failure }: Peeking): boolean =>
  failure?.error === 'trigger not found' || failure?.error === 'malformed input'

const TriggerField = () => (
  <Field
    id="trigger"
    label={words().peek.id}
    hint={words().peek.idHint}
    button={words().peek.look}
    submit={(text) => {
      keep('trigger', text)
      refresh()
      return undefined
    }}
  />
)

const forgetTrigger = (): void => {
  forget('trigger')
  refresh()
}

export const Peek = ({ version }: { readonly version: number }) => {
  const id = secret('trigger')
  const [peeking, setPeeking] = useState<Peeking>({})
  const [tries, setTries] = useState(0)
  useEffect(() => {
    setPeeking({})
    if (id === undefined) return
    const controller = new AbortController()
    const load = async (): Promise<void> => {
      const found = await peek(id, { signal: controller.signal })
      if (!controller.signal.aborted) setPeeking('value' in found ? { trigger: found.value } : found)
    }
    void load()
    return () => controller.abort()
  }, [id, version, tries])
  return (
    <section class="card">
      <h1>
        <Icon name="trigger" />
        {words().peek.title}
      </h1>
      {peeking.trigger !== undefined && <Peeked trigger={peeking.trigger} />}
      {peeking.failure !== undefined && <Failed failure={peeking.failure} retry={() => setTries(tries + 1)} />}
      {(id === undefined || isWrongId(peeking)) && <TriggerField />}
      {id !== undefined && (
        <button type="button" onClick={forgetTrigger}>
          {words().peek.forget}
        </button>
      )}
    </section>
  )
}
