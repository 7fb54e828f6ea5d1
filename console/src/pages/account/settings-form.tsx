import { type ReactNode, useState } from 'react'
import { fieldError, messageOf } from '#api/failure.ts'
import { useSubmit } from '#lib/use-submit.ts'
import { Button } from '#ui/actions/button.tsx'
import { showToast } from '#ui/feedback/toasts.tsx'
import { FormError } from '#ui/fields/field.tsx'
import { TextField } from '#ui/fields/text-field.tsx'

interface SectionProps {
  title: string
  description?: ReactNode
  children: ReactNode
}

/** One subject of a page of settings. No landmark: its fields have names of their own. */
export function Section({ title, description, children }: SectionProps) {
  return (
    <div className="mt-4 rounded-lg border border-line bg-surface p-4">
      <h2 className="font-semibold">{title}</h2>
      {description && <div className="mt-1 text-muted">{description}</div>}
      <div className="mt-3">{children}</div>
    </div>
  )
}

interface NameFieldFormProps {
  label: string
  autoComplete: string
  description?: string
  placeholder?: string
  /** The name at first. */
  initial: string
  button: string
  /** There is nothing to send. */
  isUnchanged?: (name: string) => boolean
  save: (name: string) => Promise<unknown>
  /** Said when it is saved. */
  done: string
  /** Loads what shows the name; the form waits for it. */
  reload: () => Promise<unknown>
  /** The field is for the next name once one is saved. */
  isEmptiedAfterwards?: boolean
}

/** A name and a button in one line. */
export function NameFieldForm(props: NameFieldFormProps) {
  const { initial, button, isUnchanged, save, done, reload, isEmptiedAfterwards = false, ...field } = props
  const [name, setName] = useState(initial)
  const { submit, isPending, failure } = useSubmit(async () => {
    await save(name)
    if (isEmptiedAfterwards) setName('')
    showToast(done)
    await reload()
  })
  const nameError = fieldError(failure, 'name')
  return (
    <form onSubmit={submit}>
      <div className="flex flex-wrap items-start gap-2">
        <TextField
          {...field}
          isLabelHidden
          value={name}
          onChange={setName}
          errorMessage={nameError}
          maxLength={200}
          isRequired
          className="min-w-48 flex-1"
        />
        <Button type="submit" isPending={isPending} isDisabled={isUnchanged?.(name) ?? false}>
          {button}
        </Button>
      </div>
      <FormError>{failure !== undefined && !nameError && messageOf(failure)}</FormError>
    </form>
  )
}
