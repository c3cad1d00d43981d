// Error messages: what went wrong and what to do next.

export const errors = {
  usernameMissing: 'Enter your username.',
  usernameRule: (min: number, max: number) =>
    `Use ${min} to ${max} letters, digits, underscores or Chinese characters.`,
  usernameTaken: 'This username is taken. Choose another.',
  passwordMissing: 'Enter your password.',
  nameMissing: 'Enter a name.',
  tooShort: (min: number) => `Use at least ${min} characters.`,
  tooLong: (max: number) => `Use at most ${max} characters.`,
  wholeNumber: (min: number, max: number) => `Enter a whole number from ${min} to ${max}.`,
  credentials: 'Incorrect username or password.',
  setupExpired: 'This setup link has expired. The log of the hub has a new one.',
  setupToken: 'Incorrect setup token. Find it in the startup output or the log of the hub.',
  registrationClosed: 'Registration is closed on this hub. Ask the operator of the hub for an account.',
  inviteRequired: 'Enter the invite code or link you received.',
  accountDisabled: 'This account is disabled. Contact the operator of the hub.',
  rateLimited: (seconds: number | null) =>
    seconds === null ? 'Too many attempts. Try again in a moment.' : `Too many attempts. Try again in ${seconds} s.`,
  unreachable: 'Cannot reach the hub. Check that it is running and that you are online.',
  internal: 'The hub encountered an error. See its log for details.',
  taskFinished: 'The task is already settled.',
  readOnly: 'You have read-only access to this network.',
  trialExpired: 'The trial of this network has expired. The operator of the hub can extend or remove it.',
  inviteInvalid: 'This invite does not exist. Ask for a new one.',
  inviteExpired: 'This invite has expired. Ask for a new one.',
  inviteUsedUp: 'This invite has reached its use limit. Ask for a new one.',
  alreadyMember: 'You are already a member of this network.',
  networkFull: 'This network has reached its member limit. Its owner can raise the limit.',
  duplicate: (times: number, minutes: number) =>
    `The same content was sent ${times} times within ${minutes} minutes. Check the replies first.`,
  other: (message: string) => `The hub rejected the request: ${message}`,
};
