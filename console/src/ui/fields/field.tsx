import type { ReactNode } from 'react'
import { FieldError } from 'react-aria-components/FieldError'
import { Label } from 'react-aria-components/Label'
import { Text } from 'react-aria-components/Text'
import { classNames } from '../class-names.ts'

/** The properties of every field beside its value. */
export interface FieldTexts {
  label: string
  /** For screen readers only, where the place makes it plain. */
  isLabelHidden?: boolean
  description?: ReactNode
  /** The error of the value. The field is invalid while it is set. */
  errorMessage?: string | undefined
}

export const fieldClass = 'flex min-w-0 flex-col gap-1'

/**
 * How a field is marked while its value is refused. Not in the browser's own way, which would not let the form be sent
 * again until the refusal is withdrawn.
 */
export function invalidProps(isInvalid: boolean): { isInvalid: boolean; validationBehavior: 'aria' | 'native' } {
  return { isInvalid, validationBehavior: isInvalid ? 'aria' : 'native' }
}

/** The box around what is typed or chosen. */
export const inputClass =
  'h-8 pointer-coarse:h-10 w-full min-w-0 rounded-md border border-control bg-surface px-2 text-text ' +
  'data-invalid:border-danger-text data-disabled:opacity-60 aria-invalid:border-danger-text'

export function FieldLabel({ label, isLabelHidden }: FieldTexts) {
  return <Label className={isLabelHidden ? 'sr-only' : 'font-medium'}>{label}</Label>
}

/** The description and the error, below the box. */
export function FieldNotes({ description, errorMessage }: FieldTexts) {
  return (
    <>
      {description && (
        <Text slot="description" className="text-muted text-xs">
          {description}
        </Text>
      )}
      <FieldError className={classNames('text-danger-text text-xs')}>
        {errorMessage ?? (({ validationErrors }) => validationErrors.join(' '))}
      </FieldError>
    </>
  )
}

/** Why a form could not be sent: above its buttons, read out when it appears. The region is there before its text is. */
export function FormError({ children }: { children?: ReactNode }) {
  return (
    <div role="alert" className="text-danger-text wrap-anywhere not-empty:mt-4">
      {children}
    </div>
  )
}
