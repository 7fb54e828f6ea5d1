import { useState } from 'react'
import { call } from '#api/client.ts'
import { fieldError, messageOf } from '#api/failure.ts'
import { useReload } from '#api/query.ts'
import { useSubmit } from '#lib/use-submit.ts'
import { FormError } from '#ui/fields/field.tsx'
import { RadioGroup } from '#ui/fields/radio-group.tsx'
import { Select } from '#ui/fields/select.tsx'
import { DateField, TextField } from '#ui/fields/text-field.tsx'
import { Dialog, FormActions } from '#ui/overlays/dialog.tsx'
import { type Expiry, expiresAt, expiries, type IssuedKey } from './api.ts'
import { budgetMeters, changesOf, emptyDraft, hasProblem } from './budget/budget.ts'
import { BudgetFields, BudgetRules, budgetField } from './budget/budget-fields.tsx'
import { IssuedSecret } from './issued-secret.tsx'
import { ScopeField } from './scopes/scope-field.tsx'
import { defaultScopes, type Scope } from './scopes/scopes.ts'

interface CreateKeyDialogProps {
  account: string
  onClose: () => void
}

/** The form, and then the secret. A press outside closes neither: a secret that is gone cannot be had again. */
export default function CreateKeyDialog({ account, onClose }: CreateKeyDialogProps) {
  const [issued, setIssued] = useState<IssuedKey>()
  const reload = useReload('listKeys')
  const finish = (created: IssuedKey) => {
    setIssued(created)
    void reload()
  }
  return (
    <Dialog
      title={issued ? `Key “${issued.key.name}” was created` : 'Create key'}
      isOpen
      onClose={onClose}
      size="medium"
      isQuestion
    >
      {issued ? (
        <IssuedSecret issued={issued} onDone={onClose} />
      ) : (
        <CreateKeyForm account={account} onCreated={finish} onCancel={onClose} />
      )}
    </Dialog>
  )
}

interface CreateKeyFormProps {
  account: string
  onCreated: (issued: IssuedKey) => void
  onCancel: () => void
}

const modes = [
  { id: 'live', label: 'Live', description: 'The real catalogue, on the meters of the plan.' },
  { id: 'test', label: 'Test', description: 'Made-up stores and people, on meters of its own.' },
] as const

const fieldNames = ['name', 'scopes', 'expires_at', ...budgetMeters.map(budgetField)]

function CreateKeyForm({ account, onCreated, onCancel }: CreateKeyFormProps) {
  const [name, setName] = useState('')
  const [mode, setMode] = useState<'live' | 'test'>('live')
  const [held, setHeld] = useState<readonly Scope[]>(defaultScopes)
  const [expiry, setExpiry] = useState<Expiry>('never')
  const [date, setDate] = useState('')
  const [budget, setBudget] = useState(emptyDraft)
  const end = expiresAt(expiry, date, Date.now())
  const { submit, isPending, failure } = useSubmit(() => {
    if (held.length === 0 || end === undefined || hasProblem(budget)) return
    const key = { name: name.trim(), mode, scopes: [...held], expires_at: end, budget: changesOf(budget) }
    return call('createKey', { account, body: key }).then(onCreated)
  })
  const isAboutField = fieldNames.some((field) => fieldError(failure, field))
  return (
    <form onSubmit={submit} className="space-y-4">
      <TextField
        label="Name"
        description="What will use it, such as “CRM sync”."
        value={name}
        onChange={setName}
        errorMessage={fieldError(failure, 'name')}
        maxLength={200}
        autoComplete="off"
        isRequired
        autoFocus
      />
      <RadioGroup
        label="Mode"
        options={modes}
        value={mode}
        onChange={setMode}
        className="sm:[&>*:nth-child(2)]:grid sm:[&>*:nth-child(2)]:grid-cols-2 sm:[&>*:nth-child(2)]:gap-x-6"
      />
      <ScopeField held={held} onChange={setHeld} errorMessage={fieldError(failure, 'scopes')} />
      <div className="flex flex-wrap gap-3">
        <Select label="Expires" options={expiries} value={expiry} onChange={setExpiry} className="w-40" />
        {expiry === 'date' && (
          <DateField
            label="Last day"
            value={date}
            onChange={setDate}
            errorMessage={fieldError(failure, 'expires_at')}
            isRequired
          />
        )}
      </div>
      <fieldset className="space-y-2">
        <legend className="font-medium">Budget per period (optional)</legend>
        <BudgetRules />
        <BudgetFields draft={budget} onChange={setBudget} failure={failure} />
      </fieldset>
      <FormError>{failure !== undefined && !isAboutField && messageOf(failure)}</FormError>
      <FormActions isPending={isPending} onCancel={onCancel}>
        Create key
      </FormActions>
    </form>
  )
}
