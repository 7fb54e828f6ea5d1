import { LoaderCircle } from 'lucide-react'
import { type MouseEvent, type ReactNode, useId } from 'react'
import { Button as AriaButton, type PressEvent } from 'react-aria-components/Button'
import { Tooltip as AriaTooltip, TooltipTrigger } from 'react-aria-components/Tooltip'
import { classNames } from '../class-names.ts'

export type ButtonVariant = 'primary' | 'secondary' | 'quiet' | 'danger'

const variants: Record<ButtonVariant, string> = {
  primary: 'bg-accent text-on-accent border-transparent hover:bg-accent-hover',
  secondary: 'bg-surface text-text border-control/60 hover:bg-hover',
  quiet: 'bg-transparent text-text border-transparent hover:bg-hover',
  danger: 'bg-danger text-on-accent border-transparent hover:bg-danger-hover',
}

/** The look of a button, for a link that should have it. */
export function buttonClass(variant: ButtonVariant = 'secondary', isSmall = false): string {
  return classNames(
    'relative inline-flex items-center justify-center gap-2 rounded-md border font-medium whitespace-nowrap select-none',
    'cursor-default transition-colors [&_svg]:size-4 [&_svg]:shrink-0',
    'aria-disabled:opacity-55 data-disabled:opacity-55 pointer-coarse:min-h-10',
    isSmall ? 'h-7 px-2' : 'h-8 px-3',
    variants[variant],
  )
}

interface CommonButtonProps {
  onPress?: (event: PressEvent) => void
  variant?: ButtonVariant
  isSmall?: boolean
  isDisabled?: boolean
  /** Why it cannot be pressed. It then stays focusable, and shows the reason. */
  disabledReason?: string | undefined
  /** Keeps the focus and the width, shows a spinner, and cannot be pressed. */
  isPending?: boolean
  autoFocus?: boolean
  className?: string
  'aria-expanded'?: boolean
  'aria-haspopup'?: 'dialog' | 'menu' | 'listbox'
  'aria-describedby'?: string
}

export interface ButtonProps extends CommonButtonProps {
  children: ReactNode
  type?: 'button' | 'submit'
  /** Only where the text alone does not say what it does. */
  'aria-label'?: string
  /** The id of the form that it submits, where it is not inside. */
  form?: string
}

export function Button({ children, variant, isSmall, disabledReason, className, isPending, ...props }: ButtonProps) {
  const look = classNames(buttonClass(variant, isSmall), className)
  if (disabledReason) {
    return (
      <ButtonWithReason reason={disabledReason} look={look} {...props}>
        {children}
      </ButtonWithReason>
    )
  }
  if (isPending === undefined) {
    return (
      <AriaButton {...props} className={look}>
        {children}
      </AriaButton>
    )
  }
  return (
    <>
      <AriaButton {...props} {...(isPending && inert)} className={look}>
        {isPending && <LoaderCircle aria-hidden className="absolute animate-spin" />}
        <span className={classNames('inline-flex items-center gap-2', isPending && 'opacity-0')}>{children}</span>
      </AriaButton>
      <span role="status" className="sr-only">
        {isPending && 'Working'}
      </span>
    </>
  )
}

/**
 * Cannot be pressed, and still has the focus: a disabled element would lose it. Enter in a field of its form presses it
 * too, so that sends nothing either.
 */
const inert = {
  'aria-disabled': true,
  onPress: () => undefined,
  onClick: (event: MouseEvent) => event.preventDefault(),
} as const

interface ReasonProps extends Omit<ButtonProps, 'className' | 'variant' | 'isSmall' | 'isPending' | 'isDisabled'> {
  reason: string
  look: string
}

/** The reason shows when it is pointed at or has the focus, and is read out with the name. */
function ButtonWithReason({ reason, look, children, ...props }: ReasonProps) {
  const id = useId()
  return (
    <>
      <TooltipTrigger delay={100}>
        <AriaButton {...props} {...inert} aria-describedby={id} className={look}>
          {children}
        </AriaButton>
        <Tooltip>{reason}</Tooltip>
      </TooltipTrigger>
      <span id={id} hidden>
        {reason}
      </span>
    </>
  )
}

export interface IconButtonProps extends CommonButtonProps {
  /** Its action in words: the accessible name and the tooltip. */
  label: string
  icon: ReactNode
}

export function IconButton({
  label,
  icon,
  variant = 'quiet',
  isSmall,
  disabledReason,
  isPending,
  className,
  ...props
}: IconButtonProps) {
  const square = isSmall ? 'w-7 px-0!' : 'w-8 px-0!'
  return (
    <TooltipTrigger delay={400}>
      <AriaButton
        {...props}
        {...((disabledReason || isPending) && inert)}
        aria-label={label}
        className={classNames(buttonClass(variant, isSmall), square, 'pointer-coarse:min-w-10', className)}
      >
        {isPending ? <LoaderCircle aria-hidden className="animate-spin" /> : icon}
      </AriaButton>
      <Tooltip>{disabledReason ? `${label}: ${disabledReason}` : label}</Tooltip>
    </TooltipTrigger>
  )
}

/** Goes into React Aria's `TooltipTrigger`, after what it explains. */
function Tooltip({ children }: { children: ReactNode }) {
  return (
    <AriaTooltip offset={6} className="max-w-72 rounded-md bg-text px-2 py-1 text-bg text-xs shadow-overlay">
      {children}
    </AriaTooltip>
  )
}
