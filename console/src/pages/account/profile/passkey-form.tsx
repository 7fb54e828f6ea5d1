import { NameFieldForm } from '../name-field-form.tsx'
import { addPasskey } from './passkeys-api.ts'

export function PasskeyForm({ onAdded }: { onAdded: () => Promise<unknown> }) {
  return (
    <NameFieldForm
      label="Name of a new passkey"
      placeholder="Such as: work laptop"
      autoComplete="off"
      initial=""
      button="Add passkey"
      save={(name) => addPasskey(name.trim())}
      done="The passkey was added."
      reload={onAdded}
      isEmptiedAfterwards
    />
  )
}
