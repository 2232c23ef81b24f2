import type { NodeVisibility } from '@canopy/client'
import type { ComponentChildren } from 'preact'
import { Icon } from './icons.js'
import { Name } from './Name.js'
import { words } from './preferences.js'
import { type ChainNode, reasonOf } from './visitor.js'

interface StepProps {
  readonly className: string
  readonly name: string
  readonly children: ComponentChildren
}

const Step = ({ className, name, children }: StepProps) => (
  <li class={className}>
    <span class="dot" />
    <Name name={name} />
    {children}
  </li>
)

interface VisibilityTextProps {
  readonly visibility: NodeVisibility
  readonly depth: number
  /** The deciding directory, for the last node of the chain. */
  readonly from: string | undefined
  readonly isLast: boolean
}

const VisibilityText = ({ visibility: { inherited, visibility }, depth, from, isLast }: VisibilityTextProps) => {
  const word = words().visibility[visibility]
  // A private root is the default, not a setting.
  if (inherited || (depth === 0 && visibility === 'private'))
    return <span class="quiet">{from === undefined ? word : words().chain.from(from)}</span>
  return (
    <span class={`visibility own ${visibility}`}>
      <Icon name={visibility} />
      {isLast ? words().chain.here(word) : word}
    </span>
  )
}

interface ChainProps {
  /** From the root of the area to the explained node. */
  readonly chain: ReadonlyArray<ChainNode>
  readonly isOwner: boolean
  /** Loads the ancestors that the page has not seen. */
  readonly loadAll: () => void
}

/** A run of ancestors that the page has not seen. */
const NotLoaded = ({ count, loadAll }: { readonly count: number; readonly loadAll: () => void }) => (
  <li class="not-loaded">
    <span class="dot" />
    <button type="button" onClick={loadAll}>
      {words().chain.load(count)}
    </button>
  </li>
)

const isNotLoaded = (node: ChainNode | undefined): boolean => node?.visibility === 'not loaded'

/** The settings from the root down to a node, with a mark on the deciding one. */
export const Chain = ({ chain, isOwner, loadAll }: ChainProps) => {
  const reason = reasonOf(chain)
  const decider = reason?.decidedByIndex === undefined ? undefined : chain[reason.decidedByIndex]
  const last = chain.length - 1
  const notLoaded = chain.filter(isNotLoaded).length
  return (
    <ol class="chain">
      {reason !== undefined && reason.decidedByIndex === undefined && notLoaded === 0 && (
        <li class="decides">
          <span class="dot" />
          <span class="name">{isOwner ? words().chain.aboveScope : words().chain.above}</span>
        </li>
      )}
      {chain.map((node, depth) => {
        const { name, visibility } = node
        if (visibility === 'not loaded')
          return isNotLoaded(chain[depth - 1]) ? null : <NotLoaded key={depth} count={notLoaded} loadAll={loadAll} />
        const decides = depth === reason?.decidedByIndex
        const isLast = depth === last
        const from = isLast && depth > 0 ? decider && (decider.name || '/') : undefined
        return (
          <Step
            key={depth}
            className={decides ? `decides ${visibility?.visibility}` : ''}
            name={depth === 0 ? '/' : name}
          >
            {visibility === undefined ? (
              <span class="quiet">{isOwner ? words().chain.notCovered : words().chain.closed}</span>
            ) : (
              <VisibilityText {...{ visibility, depth, from, isLast }} />
            )}
          </Step>
        )
      })}
    </ol>
  )
}

/** The visitor's access to a node, in one sentence. */
export const Access = ({ chain }: Pick<ChainProps, 'chain'>) => {
  const reason = reasonOf(chain)
  return reason === undefined ? null : <p class="access">{words().access[reason.access]}</p>
}

/** Explains the visibility of a file on its card. */
export const Reasons = (props: ChainProps) => (
  <section class="reasons">
    <h2>{words().chain.title}</h2>
    <Access chain={props.chain} />
    <Chain {...props} />
  </section>
)
