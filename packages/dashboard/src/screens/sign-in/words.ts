export const words = {
  title: "Sign in",
  heading: "Sign in to Tidings",
  email: "Email",
  password: "Password",
  newPassword: "Choose a password",
  passwordHint: "At least 10 characters. A short sentence is easy to remember.",
  name: "Your name",
  signIn: "Sign in",
  with: (name: string) => `Continue with ${name}`,
  or: "or",
  forgotten:
    "Forgot your password? An owner can create a link for you. So can `npm run sign-in` on the machine of the service.",
  first: "Welcome to Tidings",
  firstText:
    "No person has an account yet. The link for the first one is in the output of npm start, or in the file that it names. Open that link to create your account.",
  links: {
    first: {
      heading: "Create your account",
      text: "This account administers the installation.",
      button: "Create account",
    },
    invitation: {
      heading: "Join Tidings",
      text: "Your account is ready. Choose a name and a password.",
      button: "Join",
    },
    reset: { heading: "Choose a new password", text: "The old one stops working at once.", button: "Save and sign in" },
  },
  checking: "Checking the link …",
  badLink: "This link does not work any more",
  badLinkText: "It was used already, or it is too old. Ask an owner for another one.",
  toSignIn: "Go to sign-in",
} as const;
