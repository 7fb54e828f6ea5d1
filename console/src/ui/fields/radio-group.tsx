import { RadioGroup as AriaRadioGroup, Radio } from 'react-aria-components/RadioGroup'
import { classNames } from '../class-names.ts'
import { FieldLabel, FieldNotes, type FieldTexts, fieldClass, invalidProps } from './field.tsx'
import type { Option } from './select.tsx'

interface RadioGroupProps<Id extends string> extends FieldTexts {
  options: readonly Option<Id>[]
  value: Id | null
  onChange: (value: Id) => void
  isDisabled?: boolean
  isRow?: boolean
  className?: string
}

export function RadioGroup<Id extends string>({
  options,
  value,
  onChange,
  isRow,
  className,
  ...props
}: RadioGroupProps<Id>) {
  const { label, isLabelHidden, description, errorMessage, ...rest } = props
  const texts = { label, isLabelHidden, description, errorMessage }
  return (
    <AriaRadioGroup
      {...rest}
      value={value}
      onChange={(id) => onChange(id as Id)}
      orientation={isRow ? 'horizontal' : 'vertical'}
      {...invalidProps(Boolean(errorMessage))}
      className={classNames(fieldClass, className)}
    >
      <FieldLabel {...texts} />
      <div className={classNames('flex gap-x-4', isRow ? 'flex-wrap' : 'flex-col')}>
        {options.map((option) => (
          <Radio
            key={option.id}
            value={option.id}
            isDisabled={option.isDisabled ?? false}
            className="group flex min-h-6 items-start gap-2 py-0.5 data-disabled:text-muted pointer-coarse:min-h-10 pointer-coarse:items-center"
          >
            <span className="mt-0.5 size-4 shrink-0 rounded-full border border-control bg-surface group-data-focus-visible:outline-2 group-data-focus-visible:outline-accent-text group-data-focus-visible:outline-offset-1 group-data-selected:border-5 group-data-selected:border-accent" />
            <span className="min-w-0">
              {option.label}
              {option.description && <span className="block text-muted text-xs">{option.description}</span>}
            </span>
          </Radio>
        ))}
      </div>
      <FieldNotes {...texts} />
    </AriaRadioGroup>
  )
}
