import { call } from '#api/client.ts'
import { useReloadSession } from '#api/session.ts'
import { NameFieldForm } from '../name-field-form.tsx'

export function NameForm({ name: saved }: { name: string }) {
  return (
    <NameFieldForm
      label="Name"
      autoComplete="name"
      description="What your colleagues see beside what you did."
      initial={saved}
      button="Save"
      isUnchanged={(name) => name.trim() === saved}
      save={(name) => call('changeProfile', { body: { name } })}
      done="Your name was changed."
      reload={useReloadSession()}
    />
  )
}
