import { Dialog } from './Dialog.js'
import { de } from './messages/de.js'
import { en } from './messages/en.js'
import { changePreferences, type Language, preferences, words } from './preferences.js'

export const keyRows = (): ReadonlyArray<readonly [keys: ReadonlyArray<string>, what: string]> => {
  const { keys } = words()
  return [
    [['↑', '↓'], keys.move],
    [['Enter'], keys.open],
    [['Backspace'], keys.up],
    [['/'], keys.filter],
    [['Home', 'End'], keys.ends],
    [['←', '→'], keys.files],
    [['?'], keys.help],
  ]
}

export const Keys = ({ rows }: { readonly rows: ReturnType<typeof keyRows> }) => (
  <dl class="keys">
    {rows.map(([keys, what]) => (
      <div key={what}>
        <dt>
          {keys.map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}
        </dt>
        <dd>{what}</dd>
      </div>
    ))}
  </dl>
)

export const LanguageChoice = () => (
  <label class="language">
    {words().language}
    <select
      value={preferences().language}
      onChange={(event) => changePreferences({ language: event.currentTarget.value as Language })}
    >
      <option value="en">{en.languageName}</option>
      <option value="de">{de.languageName}</option>
    </select>
  </label>
)

export const Help = ({ close }: { readonly close: () => void }) => (
  <Dialog title={words().keys.title} close={close}>
    <Keys rows={keyRows()} />
    <LanguageChoice />
  </Dialog>
)
