"""Word tables: first names by gender, kin and roles, groups, words that open a sentence."""

from __future__ import annotations

FEMALE = frozenset(
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
MALE = frozenset(
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
EITHER = frozenset(
    """Angel Asia Avery Bailey Billie Blithe Bobbie Cameron Carey Casey Charley Corey Dakota Devon Erie
    Frankie Harper Jamie Jesse Jessie Jodie Kelly Kerry Kris Lee Lou Lindsay Lindsey Logan Marlo Mel
    Micah Miki Morgan Nicky Pat Parker Peyton Quinn Reese Riley River Robin Rory Rowan Sam Sammy
    Sandy Sasha Sawyer Shay Sidney Sky Skyler Taylor Terry Toni Tripp Tyson Val""".split()
)

# Kin and roles that one person fills, by gender.
KIN_FEMALE = frozenset(
    """mother mom mum aunt grandmother grandma sister daughter niece wife girl woman lady girlfriend queen
    princess waitress actress policewoman saleswoman""".split()
)
KIN_MALE = frozenset(
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

# Words that open a sentence and lose their capital inside one.
OPENERS = frozenset(
    """a an the this that these those there here he she it they we you his her its their our your my some
    any all both each every another other one two three four five six seven eight nine ten eleven
    twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty
    sixty seventy eighty ninety hundred several many most half about above across after along
    although among around as aside at because before behind below beside besides between beyond by
    despite down during except for from given if in including inside into like near of off on once
    onto out outside over past per since through throughout till to toward under unless until up
    upon when whenever where whereas while with within without and but or so yet then now today
    yesterday tomorrow tonight later next last first second third finally lastly initially recently
    originally together altogether additionally however also only just still already even again
    meanwhile afterwards afterward usually often sometimes always everyone everybody everything
    someone nobody people students children kids boys girls workers members teachers men women birds
    animals red white black blue green yellow orange purple brown pink gray grey big small large
    little new old young hot cold winter summer spring autumn fall morning afternoon evening night
    what how which who whose being having feeling wanting working using determined tickets apples cookies pencils books
    balloons admission lunch dinner breakfast school class movie mother mom dad father grandma
    grandpa unfortunately eventually luckily""".split()
)
MONTHS_DAYS = frozenset(
    """January February March April May June July August September October November December Monday Tuesday
    Wednesday Thursday Friday Saturday Sunday Christmas Halloween Easter Thanksgiving""".split()
)
