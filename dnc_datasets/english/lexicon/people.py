"""People: first names by gender, kin, roles, groups and titles."""

from __future__ import annotations

FEMALE_NAMES = frozenset(
    """Mom Mother Grandma Abby Abigail Ada Adriana Agnes Aisha Aiyanna Alana Alexa Alexandra Alexis Alice
    Alicia Alissa Alyssa Amanda Amara Amber Amelia Amy Ana Andrea Angela Angie Anita Ann Anna Anne
    Annette Annie Antonia April Ariel Ashley Audrey Aurora Ava Barbara Beatrice Beatriz Becky Bella
    Belle Bernice Beryl Beth Bethany Betty Beverly Bianca Bonnie Brenda Bridget Brittany Caitlin
    Camila Candace Carla Carmen Carol Caroline Carolyn Carrie Cassie Catherine Cecilia Charlene
    Charlotte Chelsea Cheryl Chiara Chloe Christina Christine Cindy Claire Clara Claudia Connie
    Courtney Crystal Cynthia Daisy Dana Danielle Daphne Dawn Debbie Debby Deborah Debra Deedee
    Delilah Denise Diana Diane Divya Donna Dora Doris Dorothy Edith Eileen Elaine Eleanor Elena Elif
    Elise Eliza Elizabeth Ella Ellen Ellie Eloise Elsa Elsie Emily Emma Erica Erin Esther Ethel Eva
    Eve Evelyn Faith Fatima Faye Felicia Fiona Flora Florence Frances Frannie Freya Gabriela Gail
    Georgia Gina Gladys Gloria Grace Greta Gwen Hailey Haley Hana Hannah Harriet Hayley Hazel
    Heather Heidi Helen Helena Holly Hope Ida Iesha Ingrid Irene Iris Isabel Isabella Isha Ivy
    Jackie Jane Janet Janice Janine Jasmine Jean Jen Jenn Jenna Jennifer Jenny Jessica Jill Jo Joan
    Joanna Joline Josephine Jovana Joy Joyce Juanita Judith Judy Julia Juliana Julie June Kara Karen
    Karin Kate Katerina Katherine Kathleen Kathy Katie Kayla Keiko Kelsey Kendra Kiara Kim Kimberly
    Kirsten Kristen Kristi Kristin Kyoko Lana Laura Lauren Laurie Leah Leila Lena Leslie Lexie Lila
    Lillian Lily Linda Lisa Liz Liza Lizette Lizzie Lola Lori Louise Lucia Lucille Lucy Luna Lydia
    Lynn Mabel Madeline Madison Maggi Maggie Mandy Marcia Marcie Margaret Margo Maria Mariah Marian
    Marie Marilyn Marin Marissa Marjorie Marta Martha Mary Maura Maureen Maya Megan Meg Mei Melanie
    Melinda Melissa Melody Meredith Mia Michelle Mikayla Mildred Millie Mimi Mindy Minerva Miranda
    Misha Molly Mona Monica Nadia Nancy Naomi Natalie Natasha Nell Nicole Nina Nora Norma Olga Olive
    Olivia Paige Pam Pamela Patricia Paula Pauline Penelope Penny Phoebe Phyllis Pinky Polly Priya
    Rachel Ramona Rebecca Regina Renee Rhonda Rita Roberta Robyn Rosa Rose Rosemary Roxanne Ruby
    Ruth Sabrina Sadie Sally Samantha Sandra Sara Sarah Savannah Selena Serena Shannon Sharon Sheila
    Shelby Shelly Sherry Shiela Shirley Sierra Sofia Sonia Sophia Sophie Stacy Stella Stephanie Sue
    Sunita Susan Susie Suzanne Sylvia Tabitha Tala Tamara Tammy Tanya Tara Teresa Tessa Theresa
    Tiffany Tina Tracy Ursula Valerie Vanessa Vera Veronica Vicky Victoria Violet Virginia Vivian
    Wanda Wendy Winnie Ximena Yara Yolanda Yuki Yvonne Zara Zelda Zoe""".split()
)
MALE_NAMES = frozenset(
    """Dad Father Grandpa Aaron Abel Abraham Adam Adolfo Adrian Ahmed Al Alan Albert Alejandro Alex
    Alexander Alfred Allan Allen Alvin Andre Andrew Andrei Andy Anthony Antonio Arjun Arnold Arthur
    Barry Ben Benjamin Benny Bernard Bert Bill Billy Blake Bob Bobby Brad Bradley Brandon Brendan
    Brent Brett Brian Bruce Bruno Bryan Bryon Buddy Byron Cade Caleb Calvin Carl Carlos Cedric Cesar
    Chad Charles Charlie Chester Chidi Chris Christian Christopher Chuck Clarence Claude Clay
    Clayton Clifford Clyde Cody Colin Connor Corey Craig Curtis Damian Dan Daniel Danny Darren
    Darryl Dave David Dean Dennis Derek Derrick Diego Dominic Don Donald Doug Douglas Drew Duncan
    Dustin Dwayne Dylan Earl Ed Eddie Edgar Edmund Eduardo Edward Edwin Eli Elias Elijah Elliot Emil
    Enrique Enzo Eric Erik Ernest Ethan Eugene Evan Farid Felipe Felix Fernando Finn Floyd Francis
    Francisco Frank Franklin Fred Freddy Frederick Gabriel Garrett Gary Gavin Gene Geoffrey George
    Gerald Gilbert Gino Glenn Gordon Graham Grant Greg Gregory Gus Gustav Guy Hal Harold Harrison
    Harry Harvey Hassan Hector Henrik Henry Herbert Herman Hiroshi Homer Howard Hugh Hugo Hunter Ian
    Ibrahim Isaac Ivan Jack Jackson Jacob Jake Jakub Jamal James Jared Jason Jasper Javier Jay Jeff
    Jeffrey Jeremy Jerome Jerry Jesus Jim Jimmy Joe Joel Joey John Johnny Jon Jonathan Jordan Jorge
    Jose Joseph Josh Joshua Juan Julian Julio Julius Justin Kale Kaleb Keith Ken Kenji Kenneth Kenny
    Kevin Kirk Kofi Kurt Kwame Kyle Lance Larry Lars Lawrence Lenny Leo Leon Leonard Leroy Lewis Lex
    Liam Lino Lionel Lloyd Logan Louis Lucas Luis Luke Lukas Malcolm Manuel Marc Marco Marcus Mario
    Mark Marshall Martin Marvin Mason Mateo Matt Matthew Maurice Max Maxwell Melvin Michael Miguel
    Mike Mikey Miles Milo Minh Mitchell Nathan Nathaniel Ned Neil Nelson Nicholas Nick Nikhil Noah
    Noel Norman Oliver Omar Oscar Otto Owen Pablo Paco Patrick Paul Pavel Pedro Pete Peter Phil
    Philip Phillip Preston Quentin Rafael Ralph Ramon Randall Randy Ray Raymond Rex Ricardo Richard
    Rick Ricky Rob Robert Roberto Rodney Roger Roland Roman Ron Ronald Ross Roy Ruben Russell Ryan
    Samuel Santiago Scott Sean Sebastian Sergio Seth Shane Shaun Shawn Sidney Simon Spencer Stan
    Stanley Stephen Steve Steven Stuart Ted Terrence Theo Theodore Thomas Tim Timothy Toby Todd Tom
    Tommy Tony Travis Trent Trevor Tristan Troy Tyler Tyrone Uriah Vernon Victor Viktor Vince
    Vincent Vinnie Wade Wally Walter Warren Wayne Wei Wesley Will William Willie Willy Winston Wyatt
    Xavier Yusuf Zachary Zach Zack Zane""".split()
)
UNISEX_NAMES = frozenset(
    """Angel Asia Avery Bailey Billie Blithe Bobbie Cameron Carey Casey Charley Corey Dakota Devon Erie
    Frankie Harper Jamie Jesse Jessie Jodie Kelly Kerry Kris Lee Lou Lindsay Lindsey Logan Marlo Mel
    Micah Miki Morgan Nicky Pat Parker Peyton Quinn Reese Riley River Robin Rory Rowan Sam Sammy
    Sandy Sasha Sawyer Shay Sidney Sky Skyler Taylor Terry Toni Tripp Tyson Val""".split()
)

# Kin and roles that one person fills, by gender.
FEMALE_KIN = frozenset(
    """mother mom mum aunt grandmother grandma sister daughter niece wife girl woman lady girlfriend queen
    princess waitress actress policewoman saleswoman""".split()
)
MALE_KIN = frozenset(
    """father dad uncle grandfather grandpa brother son nephew husband boy man mailman policeman salesman
    fireman fisherman waiter king prince boyfriend milkman snowman handyman""".split()
)
ROLES = frozenset(
    """friend cousin neighbor teacher coach ranger florist baker chef cook painter architect magician
    farmer driver worker teenager child kid student clerk cashier tailor nurse doctor librarian
    manager owner trainer teammate builder carpenter gardener principal chemist pharmacist postman
    barber seller vendor shopkeeper tutor artist writer author singer dancer pilot captain scientist
    mechanic plumber person classmate partner boss roommate player runner swimmer customer jeweler
    professor mayor butcher grocer zookeeper dealer singer rancher hiker biker cyclist tourist
    photographer scout guide collector clown elephant babysitter vet designer contractor sailor soldier robot""".split()
)
# Several people that take "they" (and often a singular verb).
GROUPS = frozenset(
    """store shop cafeteria restaurant company team class group school zoo museum library club band family
    bakery farm hotel hospital factory market supermarket theater bookstore florist office circus
    fair committee crew troop business army crowd gang couple tribe staff kitchen diner pharmacy""".split()
)
TITLES = {
    "Mr.": "m", "Mrs.": "f", "Ms.": "f", "Miss": "f", "Mr": "m", "Mrs": "f", "Ms": "f", "Dr.": "",
    "Uncle": "m", "Aunt": "f", "Coach": "", "Professor": "", "Grandma": "f", "Grandpa": "m", "Principal": ""
}  # fmt: skip
# A full stop after these ends no sentence; after the second kind only if a number follows, after the third it may.
ABBREVIATIONS = tuple("Mr Mrs Messrs Ms Dr St vs Prof Capt Sgt Rev Mt Jr Sr e.g i.e".split())
ABBREVIATIONS_BEFORE_NUMBER = tuple("Rs rs No no Nos approx Approx ca vol Vol pp Fig Ch".split())
ABBREVIATIONS_AFTER_NUMBER = tuple("lbs lb ft oz inc hrs min a.m p.m".split())
PLURAL_PEOPLE = frozenset(
    """children kids pupils students friends people men women boys girls adults animals""".split()
)
# First names that are also words, places, months or titles. Their replacement is not certain.
NAMES_THAT_ARE_WORDS = frozenset(
    """Al Amber Angel April Art Asia Aurora Bailey Barry Bella Belle Bill Billy Blake Bob Brandon Brook Buddy Carol Chad
    Charity Chase Chelsea Chester Christian Chuck Clay Cliff Clyde Coach Cody Colt Connor Coral Crystal Dad Daisy Dale
    Dallas Dana Dawn Dean Dell Dick Don Drew Duke Earl Eve Faith Father Faye Fern Flora Florence Forest Frank Franklin
    Gene Georgia Ginger Glen Glenn Gloria Grace Graham Grandma Grandpa Grant Guy Hal Harmony Harrison Harry Hazel
    Heather Holly Hope Houston Hunter Ida Iris Ivy Jack Jackson Jade Jasmine Jasper Jay Jean Jersey Jesus Jet Jimmy Joy
    Jordan Judge June Kale King Lance Laurel Leo Liberty Lily Lincoln Lloyd Logan Lucky Luna Madison Mark Marshall
    Mason Max May Mel Melody Mercy Mike Miles Milo Mom Mother Nelson Nick Norm Olive Opal Paige Pam Paris Parker Pat
    Patience Patrick Pearl Peg Penny Pete Phoenix Pierce Pinky Poppy Preston Prince Quincy Queen Ray Reed Regina Rex
    Rich Rick Rob Robin Rocky Rod Roman Rose Rosemary Ross Rowan Roy Ruby Rusty Sally Sandy Savannah Scott Sean Sergio
    Sierra Sky Skip Spencer Stan Star Sterling Stone Sue Summer Sunny Sydney Taylor Ted Terry Tiffany Tracy Trent Troy
    Tyson Victor Victoria Viola Violet Virginia Wade Walker Wally Warren Wayne Wesley Will Willow Winston Woody
    York Zen""".split()
)


def is_first_name(word: str) -> bool:
    """Return whether the (capitalised) word is a first name of the lists."""
    return word in FEMALE_NAMES or word in MALE_NAMES or word in UNISEX_NAMES


# pronoun -> (gender: m, f or p for plural, role in the sentence)
PRONOUNS = {
    "he": ("m", "subject"), "him": ("m", "object"), "his": ("m", "possessive"), "himself": ("m", "object"),
    "she": ("f", "subject"), "her": ("f", "her"), "hers": ("f", "possessive"), "herself": ("f", "object"),
    "they": ("p", "subject"), "them": ("p", "object"), "their": ("p", "possessive"),
    "themselves": ("p", "object"),
}  # fmt: skip
