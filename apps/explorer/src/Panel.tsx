import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { Icon } from './icons.js'
import { isOpen, type PanelName, setPanel, usePanels } from './panels.js'
import { words } from './preferences.js'

interface PanelProps {
  readonly name: PanelName
  readonly children: ComponentChildren
}

const Sheet = ({ name, children }: PanelProps) => {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog
      ref={dialog}
      class={`sheet ${name}`}
      aria-label={words().panels[name]}
      onClose={() => setPanel(name, false)}
    >
      <button
        type="button"
        class="square close"
        aria-label={words().keys.close}
        onClick={() => dialog.current?.close()}
      >
        <Icon name="close" />
      </button>
      {children}
    </dialog>
  )
}

/** A column beside the listing, or a sheet over it. */
export const Panel = ({ name, children }: PanelProps) => {
  const isWide = usePanels()
  if (!isOpen(name)) return null
  return isWide ? (
    <aside class={`panel ${name}`} aria-label={words().panels[name]}>
      {children}
    </aside>
  ) : (
    <Sheet name={name}>{children}</Sheet>
  )
}

export const PanelButton = ({ name }: { readonly name: PanelName }) => {
  usePanels()
  const open = isOpen(name)
  return (
    <button
      type="button"
      class="square fold"
      aria-label={words().panels[name]}
      aria-expanded={open}
      title={words().panels[name]}
      onClick={() => setPanel(name, !open)}
    >
      <Icon name={name} />
    </button>
  )
}
