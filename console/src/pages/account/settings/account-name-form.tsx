import { call } from '#api/client.ts'
import { useReloadSession } from '#api/session.ts'
import { NameFieldForm } from '../name-field-form.tsx'

export function AccountNameForm({ account, name: saved }: { account: string; name: string }) {
  return (
    <NameFieldForm
      label="Account name"
      autoComplete="organization"
      initial={saved}
      button="Save"
      isUnchanged={(name) => name.trim() === saved}
      save={(name) => call('renameAccount', { account, body: { name } })}
      done="The account was renamed."
      reload={useReloadSession()}
    />
  )
}
