import { Check, Minus } from 'lucide-react'
import type { ReactNode } from 'react'
import { Checkbox as AriaCheckbox, type CheckboxProps as AriaCheckboxProps } from 'react-aria-components/Checkbox'
import { CheckboxGroup as AriaCheckboxGroup } from 'react-aria-components/CheckboxGroup'
import { classNames } from '../class-names.ts'
import { FieldLabel, FieldNotes, type FieldTexts, fieldClass, invalidProps } from './field.tsx'
import type { Option } from './select.tsx'

interface CheckboxProps extends Omit<AriaCheckboxProps, 'children' | 'className'> {
  children: ReactNode
  /** Beside the label, such as a count; part of the name. */
  hint?: ReactNode
  className?: string
}

export function Checkbox({ children, hint, className, ...props }: CheckboxProps) {
  return (
    <AriaCheckbox
      {...props}
      className={classNames(
        'group flex min-h-6 items-start gap-2 py-0.5 data-disabled:text-muted pointer-coarse:min-h-10 pointer-coarse:items-center',
        className,
      )}
    >
      {({ isSelected, isIndeterminate }) => (
        <>
          <span className="mt-0.5 grid size-4 shrink-0 place-items-center rounded-sm border border-control bg-surface group-data-focus-visible:outline-2 group-data-focus-visible:outline-accent-text group-data-focus-visible:outline-offset-1 group-data-selected:border-accent group-data-selected:bg-accent group-data-indeterminate:border-accent group-data-indeterminate:bg-accent">
            {isIndeterminate ? (
              <Minus aria-hidden strokeWidth={3} className="size-3 text-on-accent" />
            ) : (
              isSelected && <Check aria-hidden strokeWidth={3} className="size-3 text-on-accent" />
            )}
          </span>
          <span className="min-w-0 flex-1 wrap-anywhere">{children}</span>
          {hint !== undefined && <span className="text-muted">{hint}</span>}
        </>
      )}
    </AriaCheckbox>
  )
}

interface CheckboxGroupProps<Id extends string> extends FieldTexts {
  options: readonly Option<Id>[]
  value: readonly Id[]
  onChange: (value: Id[]) => void
  isDisabled?: boolean
  className?: string
}

export function CheckboxGroup<Id extends string>({
  options,
  value,
  onChange,
  className,
  ...props
}: CheckboxGroupProps<Id>) {
  const { label, isLabelHidden, description, errorMessage, ...rest } = props
  const texts = { label, isLabelHidden, description, errorMessage }
  return (
    <AriaCheckboxGroup
      {...rest}
      value={[...value]}
      onChange={(ids) => onChange(ids as Id[])}
      {...invalidProps(Boolean(errorMessage))}
      className={classNames(fieldClass, className)}
    >
      <FieldLabel {...texts} />
      {options.map((option) => (
        <Checkbox key={option.id} value={option.id} isDisabled={option.isDisabled ?? false} hint={option.hint}>
          {option.label}
          {option.description && <span className="block text-muted text-xs">{option.description}</span>}
        </Checkbox>
      ))}
      <FieldNotes {...texts} />
    </AriaCheckboxGroup>
  )
}
