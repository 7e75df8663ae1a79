/** A text with errors of every family, and with a name and a URL that must not be changed. */
export const EXAMPLE = `Dear Ms Okafor,

thank you for you're letter from last week. I has read it twice, and I am agree with the most of what you write. The informations about the new library is very usefull for us, specially for childrens who lives far from the town centre.

Yesterday we have discussed about the plan with our neighbours. Everybody want to help but nobody know where to begin. My brother, which is a carpenter, can builds the shelfs if somebody pays for wood. He ask also for a open room with two window.

Please visit us at https://example.org/library, or write to Ines Vauquelin. I look forward to hear from you soon.

Yours sincerely,
Tomasz`;
