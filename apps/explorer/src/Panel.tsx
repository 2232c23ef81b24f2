import type { ComponentChildren } from 'preact'
import { Modal } from './Dialog.js'
import { IconButton } from './icons.js'
import { type PanelName, setPanel, useIsOpen, useIsWide } from './panels.js'
import { words } from './preferences.js'

interface PanelProps {
  readonly name: PanelName
  readonly children: ComponentChildren
}

/** A column beside the listing, or a sheet over it. */
export const Panel = ({ name, children }: PanelProps) => {
  const isWide = useIsWide()
  const isOpen = useIsOpen(name)
  const label = words().panels[name]
  if (!isOpen) return null
  return isWide ? (
    <aside class={`panel ${name}`} aria-label={label}>
      {children}
    </aside>
  ) : (
    <Modal class={`sheet ${name}`} label={label} close={() => setPanel(name, false)}>
      {children}
    </Modal>
  )
}

export const PanelButton = ({ name }: { readonly name: PanelName }) => {
  const isOpen = useIsOpen(name)
  return (
    <IconButton
      icon={name}
      label={words().panels[name]}
      class="square fold"
      aria-expanded={isOpen}
      onClick={() => setPanel(name, !isOpen)}
    />
  )
}
